"""Tables as people have them: what is read, what is guessed, and what is refused in one line that names the cell."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import data
from holdfast.data import Dataset, Table
from holdfast.data.tables.column_layout import Layout
from holdfast.data.tables.delimited import read_delimited
from holdfast.errors import InvalidInput

TABLE = "1,2,0\n3,4,1\n5,6,0\n7,8,1\n9,1,0\n"
ROWS = [(1, 2, 0), (3, 4, 1), (5, 6, 0), (7, 8, 1), (9, 1, 0)]


def file(folder: Path, text: str, name: str = "data.csv", encoding: str = "utf-8") -> str:
    (folder / name).write_bytes(text.encode(encoding))
    return str(folder / name)


def refusal(path: str, **options: Any) -> str:
    """Return what is said of a file that cannot be read: one line that names it."""
    with pytest.raises(InvalidInput) as refused:
        data.load(path, **options)
    message = str(refused.value)
    assert path in message
    assert "must" in message
    assert "\n" not in message
    assert "string" not in message  # nor NumPy's words
    return message


def samples(dataset: Dataset) -> list[tuple[float, ...]]:
    """All samples of both halves, features before target, sorted."""
    features = np.concatenate([dataset.train_features, dataset.test_features])
    targets = np.concatenate([dataset.train_targets, dataset.test_targets])
    return sorted((*row, target) for row, target in zip(features.tolist(), targets.tolist(), strict=True))


# -- what is read ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["", "height,width,kind\n", "# height,width,kind\n", '"a","b","c"\n', "\n"])
def test_with_and_without_names(tmp_path: Path, header: str) -> None:
    dataset = data.load(file(tmp_path, header + TABLE))
    assert samples(dataset) == ROWS
    assert (dataset.train_features.shape, dataset.test_features.shape) == ((4, 2), (1, 2))
    assert dataset.train_features.dtype == np.float64
    assert dataset.train_targets.dtype == np.int64
    assert dataset.layout is not None
    assert dataset.layout.features[1] == {"h": "width", "#": "width", '"': "b"}.get(header[:1], "column 2")
    assert ("names of the columns in row 1" if header.strip() else "no names of columns") in dataset.notes[0]


def test_a_byte_order_mark_loses_no_sample(tmp_path: Path) -> None:
    assert samples(data.load(file(tmp_path, TABLE, encoding="utf-8-sig"))) == ROWS
    assert samples(data.load(file(tmp_path, "a,b,ü\n" + TABLE, encoding="utf-16"))) == ROWS


def test_windows_line_ends_spaces_and_blank_lines(tmp_path: Path) -> None:
    text = TABLE.replace("\n", "\r\n").replace(",", " , ") + "\r\n  \r\n"
    assert samples(data.load(file(tmp_path, text))) == ROWS


@pytest.mark.parametrize(
    ("separator", "said"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars"), (" ", "spaces"), (",", None)]
)
def test_what_separates_cells_is_guessed_and_said(tmp_path: Path, separator: str, said: str | None) -> None:
    dataset = data.load(file(tmp_path, TABLE.replace(",", separator)))
    assert samples(dataset) == ROWS
    assert ("separated by" in dataset.notes[0]) == (said is not None)
    assert said is None or f"separated by {said}" in dataset.notes[0]
    assert samples(data.load(file(tmp_path, TABLE.replace(",", "%")), delimiter="%")) == ROWS


def test_a_decimal_comma(tmp_path: Path) -> None:
    found = data.load(file(tmp_path, "1,5;2;0\n-3,25;4;1\n1e3;0,5;0\n"))
    assert samples(found) == [(-3.25, 4, 1), (1.5, 2, 0), (1000, 0.5, 0)]


def test_texts_become_one_feature_for_each_kind(tmp_path: Path) -> None:
    dataset = data.load(file(tmp_path, 'colour,size,kind\nred,1,a\n"blue",2,b\nred,3,a\nblue,4,"b"\n'))
    assert dataset.layout is not None
    assert dataset.layout.features == ("colour=blue", "colour=red", "size")
    assert dataset.labels == ("a", "b")
    assert samples(dataset) == [(0, 1, 1, 0), (0, 1, 3, 0), (1, 0, 2, 1), (1, 0, 4, 1)]
    assert "1 text column as 0 and 1: colour" in dataset.notes[0]


def test_numbers_that_are_kinds(tmp_path: Path) -> None:
    dataset = data.load(file(tmp_path, "zip,kind\n100,0\n200,1\n100,1\n"), text=("zip",))
    assert dataset.layout is not None
    assert dataset.layout.features == ("zip=100", "zip=200")


@pytest.mark.parametrize(
    ("names", "target", "chosen", "how"),
    [
        ("a,Class,b", None, "Class", "by its name"),
        ("class,target,b", None, "target", "by its name"),
        ("a,b,c", None, "c", "the last column"),
        ("a,b,c", "a", "a", None),
        ("a,b,c", "2", "b", None),
        ("a,b,c", "-3", "a", None),
        ("2,b,c", "2", "2", None),
    ],
)
def test_which_column_is_learned(tmp_path: Path, names: str, target: str | None, chosen: str, how: str | None) -> None:
    dataset = data.load(file(tmp_path, f"{names}\n{TABLE}"), target=target, header=True)
    assert dataset.layout is not None
    assert dataset.layout.target == chosen
    assert dataset.layout.features == tuple(name for name in names.split(",") if name != chosen)
    assert dataset.notes[1] == f"target: column {chosen!r}" + (
        "" if how is None else f", {how} (FILE:target=NAME names another)"
    )


def test_a_first_column_that_numbers_the_rows_is_left_out(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(ROWS, columns=["a", "b", "y"]).to_csv(tmp_path / "data.csv")
    dataset = data.load(str(tmp_path / "data.csv"))
    assert samples(dataset) == ROWS
    assert "numbers the rows and is left out" in dataset.notes[0]


def test_columns_to_ignore(tmp_path: Path) -> None:
    dataset = data.load(f"{file(tmp_path, 'id,a,name,y' + chr(10) + '1,5,x,0' + chr(10) + '2,6,z,1')}:ignore=id+name")
    assert samples(dataset) == [(5, 0), (6, 1)]


def test_all_texts_and_no_names(tmp_path: Path) -> None:
    dataset = data.load(file(tmp_path, "x,p\nf,e\nx,e\nf,p\n"))
    assert len(dataset.train_targets) + len(dataset.test_targets) == 4
    assert "no names of columns" in dataset.notes[0]


def test_targets_with_fractions_stay_as_they_are(tmp_path: Path) -> None:
    dataset = data.load(file(tmp_path, "a,y\n1,0.5\n2,1.25\n3,2\n"))
    assert sorted(np.concatenate([dataset.train_targets, dataset.test_targets]).tolist()) == [0.5, 1.25, 2.0]


# -- missing values ----------------------------------------------------------------------------------------------------

HOLES = "a,b,y\n1,red,0\n,red,1\n3,?,0\n4,blue,1\n6,NA,0\n7,red,1\n"


@pytest.mark.parametrize(("how", "expected"), [("mean", np.mean), ("median", np.median)])
def test_missing_values_are_filled_from_the_training_rows(tmp_path: Path, how: Any, expected: Any) -> None:
    dataset = data.load(file(tmp_path, HOLES), missing=how)
    train, _ = data.dataset.train_and_test(6)
    numbers = np.array([1, np.nan, 3, 4, 6, 7])[train]
    assert dataset.layout is not None
    assert dataset.layout.columns[0].fill == expected(numbers[~np.isnan(numbers)])
    assert dataset.layout.columns[1].fill == "red"  # the most common text
    assert np.isfinite(dataset.train_features).all()
    assert np.isfinite(dataset.test_features).all()
    assert len(dataset.train_targets) + len(dataset.test_targets) == 6


def test_rows_with_missing_values_are_dropped(tmp_path: Path) -> None:
    dataset = data.load(file(tmp_path, HOLES + "8,red,\n"), missing="drop")
    assert samples(dataset) == [(1, 0, 1, 0), (4, 1, 0, 1), (7, 0, 1, 1)]
    assert "4 rows left out for missing values" in dataset.notes[0]


# -- a test file of its own --------------------------------------------------------------------------------------------


def test_a_test_file(tmp_path: Path) -> None:
    test = file(tmp_path, "y;colour;a\nb;green;5\nc;red;6\n", "test.csv")
    path = file(tmp_path, "a,colour,y\n1,red,a\n2,blue,b\n3,red,b\n")
    dataset = data.load(path, test=test)
    assert dataset.labels == ("a", "b", "c")  # one of them only in the test file
    assert dataset.train_features.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1]]
    assert dataset.test_features.tolist() == [[5, 0, 0], [6, 0, 1]]  # green was never seen
    assert dataset.test_targets.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("colour,y\nred,a\n", "test.csv must have the column 'a'; got 'colour', 'y'"),
        ("a,colour\n1,red\n", "test.csv must have the target column 'y'; got 'a', 'colour'"),
        ("a,colour,y\n1,red,\n", "test.csv must have a value in every cell; got none in row 2, column 'y'"),
        ("a,colour,y\n1,red,a\ntall,red,a\n", "finite numbers in column 'a'; got 'tall' in row 3"),
        ("1,red,a,4\n", "the 2 columns of features in order, or names in its first row; got 4 columns without names"),
    ],
)
def test_test_files_that_cannot_be_used(tmp_path: Path, text: str, reason: str) -> None:
    test = file(tmp_path, text, "test.csv")
    with pytest.raises(InvalidInput) as refused:
        data.load(file(tmp_path, "a,colour,y\n1,red,a\n2,blue,b\n3,red,b\n"), test=test)
    assert reason in str(refused.value)


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TABLE + "1,2\n", "must have 3 cells in every row, as in its first; got 2 in row 6: '1,2' (cut at commas"),
        ("a,b,c\n" + TABLE + "1,x,0\n", "must have numbers in column 'b', as in most of its rows; got 'x' in row 7"),
        (TABLE + "1,,0\n", "must have a value in every cell; got none in row 6, column 'column 2' (FILE:missing=mean"),
        ("1,,0\n" + TABLE, "got none in row 1, column 'column 2'"),
        ("\n\n" + TABLE + "nan,2,0\n", "got none in row 8, column 'column 1'"),
        (TABLE + "1,2,inf\n", "must have finite numbers in column 'column 3'; got 'inf' in row 6"),
        (TABLE + "1,1e999,0\n", "must have finite numbers in column 'column 2'; got '1e999' in row 6"),
        (TABLE + "1,2,?\n", "row 6, column 'column 3' (FILE:missing=drop leaves out such rows; a target is never"),
        ("2019,2020,class\n" + TABLE, "got 'class' in row 1 (FILE:header=true takes row 1 as names"),
        ("a,b,a\n" + TABLE, "must have columns of different names; got 'a' in columns 1 and 3"),
        (
            "a,b,c\n1,,0\n2,,1\n",
            "got none in column 'b' (FILE:ignore=b leaves it out)",
        ),
        (TABLE + "-nan,2,0\n", "must have numbers in column 'column 1', as in most of its rows; got '-nan' in row 6"),
        ("1\n2\n3\n", "must have features and a target column; got 1 column"),
        ("a,b\n1,2\n", "must hold at least 2 rows of data; got 1"),
        ("a,b\n", "must hold at least 2 rows of data; got 0"),
        ("", "must hold at least 2 rows of data; got none"),
        ('a,b\n1,"2\n3\n4",0\n5,6\n', "must have 2 cells in every row, as in its first; got 3 in row 2"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal(file(tmp_path, text))


def test_a_row_is_counted_as_an_editor_does_also_below_a_cell_of_several_lines(tmp_path: Path) -> None:
    assert "got none in row 5, column 'a'" in refusal(file(tmp_path, 'a,b\n1,"x\ny"\n2,z\n,x\n'))


def test_a_column_of_names(tmp_path: Path) -> None:
    text = "name,y\n" + "".join(f"n{n},{n % 2}\n" for n in range(101))
    assert "at most 100 different texts in a column; got more in column 'name', such as 'n0'" in refusal(
        file(tmp_path, text)
    )


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = file(tmp_path, "a,ü,y\n1,2,0\n", encoding="latin-1")
    assert "must be text in UTF-8; got other bytes in row 1" in refusal(path)
    (tmp_path / "data.csv").write_bytes(bytes(range(256)))
    assert "must be a table of text; got bytes that are no text" in refusal(path)


def test_a_cell_without_end(tmp_path: Path) -> None:
    path = file(tmp_path, 'a,y\n1,0\n"' + "x" * 200_000)
    assert "must be a table of text; got a field larger than field limit (131072) below row 2" in refusal(path)


def test_a_table_is_bounded_by_its_text_and_by_its_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_MAX_BYTES", "20")
    assert "must hold at most 20 bytes of data" in refusal(file(tmp_path, TABLE))
    monkeypatch.setenv("HOLDFAST_MAX_BYTES", "70")
    assert "must hold at most 70 bytes of data (HOLDFAST_MAX_BYTES); got 80" in refusal(file(tmp_path, TABLE))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"target": "d"}, "unknown column of"),
        ({"targt": "a"}, "unknown option of table"),
        ({"missing": "zero"}, "missing must be refuse or mean or median or drop; got 'zero'"),
        ({"delimiter": "no"}, "delimiter must be semicolon, tab, comma, bar, space or one character; got 'no'"),
        ({"header": "perhaps"}, "header must be true or false; got 'perhaps'"),
    ],
)
def test_options_that_cannot_work(tmp_path: Path, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        data.load(file(tmp_path, "a,b,c\n" + TABLE), **options)
    assert reason in str(refused.value)


@given(st.text(alphabet="abc,;\t|\"'0.5-\n\r ?e", max_size=200))
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(text.encode())
    try:
        dataset = data.load(str(path))
    except InvalidInput as error:
        refused = str(error)
        assert "\n" not in refused
        return
    assert np.isfinite(dataset.train_features).all()
    assert len(dataset.train_targets) >= 1
    assert len(dataset.test_targets) >= 1


# -- how a table is written --------------------------------------------------------------------------------------------

TABLES = st.builds(
    Table,
    path=st.sampled_from(["a.csv", "/x/b c.TSV", "d.parquet", "C:\\e.csv"]),
    target=st.none() | st.sampled_from(["y", "alcohol %", "2"]),
    test=st.none() | st.just("t.csv"),
    missing=st.sampled_from(["refuse", "mean"]),
    header=st.none() | st.booleans(),
    delimiter=st.none() | st.just("tab"),
    ignore=st.sampled_from([(), ("a",), ("a", "b c")]),
)


@given(TABLES)
def test_a_table_reads_back_equal(table: Table) -> None:
    assert Table.of(str(table)) == table
    assert Table.of(table.table()) == table
    assert data.describe(str(table)) == table


def test_a_layout_reads_back_equal(tmp_path: Path) -> None:
    layout = data.load(file(tmp_path, HOLES), missing="mean").layout
    assert layout is not None
    assert Layout.of_json(layout.to_json()) == layout


def test_a_large_table_is_read_in_blocks(tmp_path: Path) -> None:
    text = "a,b,y\n" + "".join(f"{n},{n % 7},{n % 2}\n" for n in range(10_000))
    sheet = read_delimited(Path(file(tmp_path, text)))
    blocks = list(sheet.blocks())
    assert [len(block.rows) for block in blocks] == [4096, 4096, 1808]
    assert blocks[1].rows[0] == 4098
    assert len(samples(data.load(sheet.name))) == 10_000


# -- other sources -----------------------------------------------------------------------------------------------------


def test_a_frame_is_read_as_its_file_is(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1.5, 2, 3, 4], "c": ["x", "z", "x", "z"], "b": [True, False, True, True],
                              "kind": ["p", "q", "q", "p"]})  # fmt: skip
    frame.to_csv(tmp_path / "data.csv", index=False)
    found, read = data.load(frame), data.load(str(tmp_path / "data.csv"), text=("b",))
    assert found.labels == read.labels == ("p", "q")
    assert found.train_features[:, :3].tolist() == read.train_features[:, :3].tolist()
    assert data.load(frame, target="n", ignore="c").train_features.shape == (4 - 1, 3)
    frame.loc[2, "n"] = None
    with pytest.raises(InvalidInput, match="must have a value in every cell; got none in row 3, column 'n'"):
        data.load(frame)
    with pytest.raises(InvalidInput, match="missing must be refuse or mean or median or drop; got 'zero'"):
        data.load(frame, missing="zero")
    with pytest.raises(InvalidInput, match=r"options of a frame are .*; got header"):
        data.load(frame, header=True)


def test_bunches_of_scikit_learn() -> None:
    from sklearn.datasets import load_diabetes, load_iris

    iris = data.load(load_iris())
    assert iris.labels == ("setosa", "versicolor", "virginica")
    assert iris.layout is not None
    assert iris.layout.features[0] == "sepal length (cm)"
    assert data.load(load_iris(as_frame=True)).digest() == iris.digest()
    with pytest.raises(InvalidInput, match="one target per sample; got 2 of 3 samples"):
        data.load({"data": np.ones((3, 2)), "target": [0, 1]})
    diabetes = data.load(load_diabetes())
    assert diabetes.labels is None
    assert diabetes.train_targets.max() > 300


def test_parquet_needs_pyarrow(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1")
    installed = find_spec("pyarrow") is not None
    reason = "must be a Parquet file" if installed else "a Parquet file needs pyarrow: pip install pyarrow"
    with pytest.raises(InvalidInput, match=reason):
        data.load(path)


def test_a_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pandas, path = pytest.importorskip("pandas"), tmp_path / "data.parquet"
    pandas.DataFrame(ROWS, columns=["a", "b", "y"]).to_parquet(path)
    assert samples(data.load(path)) == ROWS
    pandas.DataFrame({"a": [2**60 + 1, 1], "y": [0, 1]}).to_parquet(path)
    assert samples(data.load(path)) == [(1, 1), (2.0**60, 0)]
