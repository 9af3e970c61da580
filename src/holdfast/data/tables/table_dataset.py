"""From a table to a data set: find the target, describe the other columns, encode them, hold out test rows."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from holdfast.data.dataset import Dataset, train_and_test
from holdfast.data.tables.column_layout import Column, Encoded, Features, Layout
from holdfast.data.tables.sheet import Cells, Sheet, quote
from holdfast.data.user_files import require_bounded
from holdfast.errors import InvalidInput, unknown
from holdfast.typing import Array

Missing = Literal["refuse", "mean", "median", "drop"]
TARGETS = ("target", "class", "label", "y", "outcome")
"""Names of a target column, the first one first; without any the last column is the target."""
MOST_LABELS = 1000
MOST_CATEGORIES = 100
"""Different texts in a column; a column with more names its rows rather than a kind of them."""


def build_dataset(
    sheet: Sheet,
    test: Sheet | None = None,
    target: str | None = None,
    missing: Missing = "refuse",
    ignore: Collection[str] = (),
    text: Collection[str] = (),
) -> Dataset:
    """Return the data set in a table; `holdfast.data.Table` explains the options."""
    if len(sheet.columns) < 2:
        raise InvalidInput(f"{sheet.name} must have features and a target column; got {len(sheet.columns)} column")
    ignored = {_find_column(sheet, name) for name in ignore} | ({sheet.columns[0]} if sheet.index else set())
    learned, guess = _find_target(sheet, target, ignored)
    as_text = {_find_column(sheet, name) for name in text}
    summaries, count = _survey(sheet, [MOST_LABELS if name == learned else MOST_CATEGORIES for name in sheet.columns])
    if count < 2:
        raise InvalidInput(f"{sheet.name} must hold at least 2 rows of data; got {count}")
    features = [each for each in summaries if each.name not in {*ignored, learned}]
    layout = Layout(
        tuple(each.describe(sheet, as_text, missing) for each in features),
        learned,
        _list_labels(sheet, test, next(each for each in summaries if each.name == learned), as_text),
    )
    if not layout.columns:
        raise InvalidInput(f"{sheet.name} must have at least one column of features; got only the target {learned!r}")
    require_bounded(sheet.name, 8 * count * len(layout.features))
    arrays, dropped = _encode_and_split(layout, sheet, test, missing)
    if missing in ("mean", "median"):
        layout = _fill_missing(layout, arrays[0], arrays[2], np.mean if missing == "mean" else np.median)
    notes = _write_notes(sheet, layout, count, dropped, guess)
    return Dataset(sheet.name, *arrays, labels=layout.labels, layout=layout, notes=notes)


def _find_column(sheet: Sheet, name: str) -> str:
    """Return the name of a column that is given by its name or by its number."""
    if name in sheet.columns:
        return name
    number = int(name) if name.removeprefix("-").isdecimal() else 0
    if 1 <= abs(number) <= len(sheet.columns):
        return sheet.columns[number - 1 if number > 0 else number]
    raise unknown(f"column of {sheet.name}", name, sheet.columns)


def _find_target(sheet: Sheet, target: str | None, ignored: Collection[str]) -> tuple[str, str]:
    """Return the target column, and by what it was guessed."""
    if target is not None:
        return _find_column(sheet, target), ""
    names = [name for name in sheet.columns if name not in ignored]
    if not names:
        raise InvalidInput(f"{sheet.name} must have features and a target column; got none that is not ignored")
    lower = {name.lower(): name for name in reversed(names)}
    usual = next((lower[name] for name in TARGETS if name in lower), None)
    return (usual, "by its name") if usual is not None and sheet.named else (names[-1], "the last column")


# -- what the columns hold ---------------------------------------------------------------------------------------------


@dataclass
class Summary:
    """What a column holds."""

    name: str
    numbers: int = 0
    words: int = 0
    first_word: tuple[int, str] | None = None
    """Its row, and the cell."""
    texts: Counter[str] = field(default_factory=Counter)
    """How often each text occurs; counting stops when there are too many."""

    def add(self, rows: Sequence[int], cells: Cells, most: int) -> None:
        """Take some more cells into account; count texts while there are at most `most` different ones."""
        words = cells.words
        self.words += int(words.sum())
        self.numbers += int((~words & ~cells.missing).sum())
        if self.first_word is None and words.any():
            at = int(words.argmax())
            self.first_word = rows[at], cells.texts[at]
        if len(self.texts) <= most:
            self.texts.update(text for text, absent in zip(cells.texts, cells.missing, strict=True) if not absent)

    def is_text(self, sheet: Sheet, as_text: Collection[str]) -> bool:
        """Return whether the column holds texts; refuse an empty column, and texts among numbers."""
        if not self.numbers and not self.words:
            raise InvalidInput(
                f"{sheet.name} must have values in every column; got none in column {self.name!r} "
                f"(FILE:ignore={self.name} leaves it out)"
            )
        if self.name in as_text or self.words > self.numbers:
            return True
        if self.first_word is None:
            return False
        row, cell = self.first_word
        hint = "FILE:header=true takes row 1 as names, " if row == 1 and not sheet.named else ""
        raise InvalidInput(
            f"{sheet.name} must have numbers in column {self.name!r}, as in most of its rows; got {quote(cell)} in row "
            f"{row} ({hint}FILE:text={self.name} takes all of the column as text, ignore={self.name} leaves it out)"
        )

    def describe(self, sheet: Sheet, as_text: Collection[str], missing: str) -> Column:
        """Return the column as one of features; a text column has few different texts."""
        if not self.is_text(sheet, as_text):
            return Column(self.name)
        if len(self.texts) > MOST_CATEGORIES:
            raise InvalidInput(
                f"{sheet.name} must have at most {MOST_CATEGORIES} different texts in a column; got more in column "
                f"{self.name!r}, such as {quote(next(iter(self.texts)))} (FILE:ignore={self.name} leaves it out)"
            )
        fill = self.texts.most_common(1)[0][0] if missing in ("mean", "median") else None
        return Column(self.name, tuple(sorted(self.texts)), fill)


def _survey(sheet: Sheet, most: Sequence[int]) -> tuple[list[Summary], int]:
    """Read a table once; return what its columns hold, and the number of rows."""
    summaries, count = [Summary(name) for name in sheet.columns], 0
    for block in sheet.blocks():
        count += len(block.rows)
        for summary, cells, limit in zip(summaries, block.columns, most, strict=True):
            summary.add(block.rows, cells, limit)
    return summaries, count


def _list_labels(sheet: Sheet, test: Sheet | None, target: Summary, as_text: Collection[str]) -> tuple[str, ...] | None:
    """Return the classes of a target of texts, those of the test table included."""
    if not target.is_text(sheet, as_text):
        return None
    labels = set(target.texts)
    if test is not None and target.name in test.columns:
        tested, _ = _survey(test, [MOST_LABELS] * len(test.columns))
        labels |= set(tested[test.columns.index(target.name)].texts)
    if len(labels) > MOST_LABELS:
        raise InvalidInput(
            f"{sheet.name} must have at most {MOST_LABELS} classes; got more different texts in the target column "
            f"{target.name!r} (FILE:target=NAME names another column)"
        )
    return tuple(sorted(labels))


# -- arrays ------------------------------------------------------------------------------------------------------------

Arrays = tuple[Features, Array, Features, Array]


def _encode_and_split(layout: Layout, sheet: Sheet, test: Sheet | None, missing: str) -> tuple[Arrays, int]:
    """Return features and targets for training and for testing, and the number of rows left out."""
    how = "keep" if missing in ("mean", "median") else missing
    whole = layout.encode(sheet, targets=True, missing=how)
    if len(whole.features) < 2:
        raise InvalidInput(f"{sheet.name} must hold at least 2 rows without missing values; got {len(whole.features)}")
    targets = _convert_targets(layout, whole)
    if test is None:
        train, held = train_and_test(len(targets))
        return (whole.features[train], targets[train], whole.features[held], targets[held]), whole.dropped
    tested = layout.encode(test, targets=True, missing=how)
    if not len(tested.features):
        raise InvalidInput(f"{test.name} must hold at least one row without missing values; got none")
    both = whole.features, targets, tested.features, _convert_targets(layout, tested)
    return both, whole.dropped + tested.dropped


def _convert_targets(layout: Layout, encoded: Encoded) -> Array:
    """Return targets as integers if all of them are whole numbers."""
    assert encoded.targets is not None  # `encode` was asked for targets
    whole = layout.labels is not None or bool((encoded.targets == np.round(encoded.targets)).all())
    return encoded.targets.astype(np.int64) if whole and np.abs(encoded.targets).max() < 2**53 else encoded.targets


def _fill_missing(layout: Layout, train: Features, test: Features, average: Any) -> Layout:
    """Replace missing numbers, in place, by an average of the training rows; return the layout with these averages."""
    columns, at = list[Column](), 0
    for column in layout.columns:
        if column.categories is None:
            present = train[~np.isnan(train[:, at]), at]
            if not len(present):
                raise InvalidInput(f"a column needs a value in some training row; got none in {column.name!r}")
            value = float(average(present))
            for features in (train, test):
                features[np.isnan(features[:, at]), at] = value
            columns.append(replace(column, fill=value))
        else:
            columns.append(column)
        at += len(column.features)
    return replace(layout, columns=tuple(columns))


def _write_notes(sheet: Sheet, layout: Layout, count: int, dropped: int, guess: str) -> tuple[str, ...]:
    """Return what was read and guessed, for the first lines of a run."""
    texts = [column.name for column in layout.columns if column.categories is not None]
    found = f"{count} rows, {len(layout.features)} features"
    if texts:
        shown = ", ".join(texts[:5]) + (", ..." if len(texts) > 5 else "")
        found += f" ({len(texts)} text column{'s' if len(texts) > 1 else ''} as 0 and 1: {shown})"
    if sheet.index:
        found += "; the first column, which has no name, numbers the rows and is left out"
    if dropped:
        found += f"; {dropped} rows left out for missing values"
    about = "; ".join([found, *sheet.notes])
    return about, f"target: column {layout.target!r}" + (f", {guess} (FILE:target=NAME names another)" if guess else "")
