"""From a table to a data set: which column is learned, what the others become, and which rows are held out."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.data.bounds import require_bounded
from holdfast.data.dataset import Dataset, train_and_test
from holdfast.data.tables.columns import MOST_CATEGORIES, Seen, categories, is_text, survey
from holdfast.data.tables.layout import Column, Encoded, Features, Layout
from holdfast.data.tables.sheet import Sheet
from holdfast.errors import InvalidInput, unknown

TARGETS = ("target", "class", "label", "y", "outcome")
"""Names that tell the column that is learned, in this order; without any it is the last one."""
MOST_LABELS = 1000


def built(
    sheet: Sheet,
    test: Sheet | None = None,
    target: str | None = None,
    missing: str = "refuse",
    ignore: Collection[str] = (),
    text: Collection[str] = (),
) -> Dataset:
    """Return the data set in a table; `holdfast.data.Table` says what the options mean."""
    if len(sheet.columns) < 2:
        raise InvalidInput(f"{sheet.name} must have features and a target column; got {len(sheet.columns)} column")
    left_out = {_column(sheet, name) for name in ignore} | ({sheet.columns[0]} if sheet.index else set())
    learned, guessed = _target(sheet, target, left_out)
    as_text = {_column(sheet, name) for name in text}
    seen, count = survey(sheet, (MOST_LABELS if name == learned else MOST_CATEGORIES for name in sheet.columns))
    if count < 2:
        raise InvalidInput(f"{sheet.name} must hold at least 2 rows of data; got {count}")
    layout = Layout(
        tuple(_described(sheet, each, as_text, missing) for each in seen if each.name not in {*left_out, learned}),
        learned,
        _labels(sheet, test, next(each for each in seen if each.name == learned), as_text),
    )
    if not layout.columns:
        raise InvalidInput(f"{sheet.name} must have at least one column of features; got only the target {learned!r}")
    require_bounded(sheet.name, 8 * count * len(layout.features))
    arrays, dropped = _arrays(layout, sheet, test, missing)
    layout = _filled(layout, arrays, missing)
    notes = _notes(sheet, layout, count, dropped, guessed)
    return Dataset(sheet.name, *arrays, labels=layout.labels, layout=layout, notes=notes)


def _column(sheet: Sheet, name: str) -> str:
    """Return the name of a column that is given by its name or by its number."""
    if name in sheet.columns:
        return name
    number = int(name) if name.removeprefix("-").isdecimal() else 0
    if 1 <= abs(number) <= len(sheet.columns):
        return sheet.columns[number - 1 if number > 0 else number]
    raise unknown(f"column of {sheet.name}", name, sheet.columns)


def _target(sheet: Sheet, asked: str | None, left_out: Collection[str]) -> tuple[str, str]:
    """Return the column that is learned, and how that was guessed if it was."""
    if asked is not None:
        return _column(sheet, asked), ""
    left = [name for name in sheet.columns if name not in left_out]
    if not left:
        raise InvalidInput(f"{sheet.name} must have features and a target column; got none that is not ignored")
    lower = {name.lower(): name for name in reversed(left)}
    named = next((lower[name] for name in TARGETS if name in lower), None)
    if named is not None and sheet.named:
        return named, "by its name"
    return left[-1], "the last column"


def _described(sheet: Sheet, seen: Seen, as_text: Collection[str], missing: str) -> Column:
    if not is_text(sheet, seen, as_text):
        return Column(seen.name)
    common = seen.texts.most_common(1)[0][0] if missing in ("mean", "median") else None
    return Column(seen.name, categories(sheet, seen), common)


def _labels(sheet: Sheet, test: Sheet | None, seen: Seen, as_text: Collection[str]) -> tuple[str, ...] | None:
    """Return the classes of a target of texts, those of the test file among them."""
    if not is_text(sheet, seen, as_text):
        return None
    labels = set(seen.texts)
    if test is not None and seen.name in test.columns:
        labels |= set(survey(test, [MOST_LABELS] * len(test.columns))[0][test.columns.index(seen.name)].texts)
    if len(labels) > MOST_LABELS:
        raise InvalidInput(
            f"{sheet.name} must have at most {MOST_LABELS} classes; got more different texts in the target column "
            f"{seen.name!r} (FILE:target=NAME names another column)"
        )
    return tuple(sorted(labels))


Arrays = tuple[Features, NDArray[Any], Features, NDArray[Any]]


def _arrays(layout: Layout, sheet: Sheet, test: Sheet | None, missing: str) -> tuple[Arrays, int]:
    """Return features and targets of the rows to learn from and of those to test on, and how many were left out."""
    how = "keep" if missing in ("mean", "median") else missing
    whole = layout.encode(sheet, targets=True, missing=how)
    if len(whole.features) < 2:
        raise InvalidInput(f"{sheet.name} must hold at least 2 rows without missing values; got {len(whole.features)}")
    targets = _targets(layout, whole)
    if test is None:
        train, held = train_and_test(len(targets))
        return (whole.features[train], targets[train], whole.features[held], targets[held]), whole.dropped
    tested = layout.encode(test, targets=True, missing=how)
    if not len(tested.features):
        raise InvalidInput(f"{test.name} must hold at least one row without missing values; got none")
    both = whole.features, targets, tested.features, _targets(layout, tested)
    return both, whole.dropped + tested.dropped


def _targets(layout: Layout, encoded: Encoded) -> NDArray[Any]:
    assert encoded.targets is not None  # they were asked for
    whole = layout.labels is not None or bool((encoded.targets == np.round(encoded.targets)).all())
    return encoded.targets.astype(np.int64) if whole and np.abs(encoded.targets).max() < 2**53 else encoded.targets


def _filled(layout: Layout, arrays: Arrays, missing: str) -> Layout:
    """Fill what is missing, in place, from the training rows alone; return the layout that says with what."""
    if missing not in ("mean", "median"):
        return layout
    train, _, test, _ = arrays
    columns, at = list[Column](), 0
    for column in layout.columns:
        if column.categories is None:
            present = train[~np.isnan(train[:, at]), at]
            if not len(present):
                raise InvalidInput(f"a column needs a value in some training row; got none in {column.name!r}")
            value = float(np.mean(present) if missing == "mean" else np.median(present))
            for features in (train, test):
                features[np.isnan(features[:, at]), at] = value
            columns.append(replace(column, fill=value))
        else:
            columns.append(column)
        at += len(column.features)
    return replace(layout, columns=tuple(columns))


def _notes(sheet: Sheet, layout: Layout, count: int, dropped: int, guessed: str) -> tuple[str, ...]:
    """Return what was found and guessed, to be said aloud."""
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
    chosen = f"target: column {layout.target!r}" + (f", {guessed} (FILE:target=NAME names another)" if guessed else "")
    return about, chosen
