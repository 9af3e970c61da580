"""A spec: what it takes, what it refuses, and how it reads back what it writes."""

from argparse import ArgumentParser
from dataclasses import FrozenInstanceError, asdict, fields
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import methods
from holdfast.cli.options import add_spec_flags, flag, spec_of
from holdfast.errors import InvalidInput
from holdfast.experiments import Spec, run
from holdfast.experiments.defaults import resolved

# every field, each away from its default: (value, as a flag, as TOML)
EVERY: dict[str, tuple[Any, str, str]] = {
    "method": ("krum", "krum", '"krum"'),
    "norm": (inf, "inf", "inf"),
    "penalty": (0.5, "0.5", "0.5"),
    "rate": (2e-05, "2e-5", "2e-5"),
    "schedule": ("constant", "constant", "'constant'"),
    "reply": ("updated", "updated", '"updated"'),
    "messages": ("bits", "bits", '"bits"'),
    "ties": ("coin", "coin", '"coin"'),
    "local_steps": (2, "2", "2"),
    "participation": (0.5, ".5", "0.5"),
    "attack": ("sign-flip:factor=-2", "sign-flip:factor=-2", '"sign-flip:factor=-2"'),
    "workers": (12, "12", "12"),
    "byzantine": (3, "3", "3"),
    "liars": ((2, 5, 9), "2,5,9", "[2, 5, 9]"),
    "liars_work": ("always", "always", '"always"'),
    "declared": (4, "4", "4"),
    "problem": ("logistic", "logistic", '"logistic"'),
    "data": ('C:\\my "data"\\é.npz', 'C:\\my "data"\\é.npz', "'C:\\my \"data\"\\é.npz'"),
    "partition": ("dirichlet:alpha=0.5", "dirichlet:alpha=0.5", '"dirichlet:alpha=0.5"'),
    "scale": (0.25, ".25", "0.25"),
    "weighting": ("sum", "sum", '"sum"'),
    "l2": (0.0, "0", "0"),
    "batch": (7, "7", "7"),
    "rounds": (11, "11", "11"),
    "seed": (3, "3", "3"),
    "dtype": ("float64", "float64", '"float64"'),
    "engine": ("ray", "ray", '"ray"'),
    "shards": (3, "3", "3"),
    "address": ("10.0.0.1:6379", "10.0.0.1:6379", '"10.0.0.1:6379"'),
    "round_timeout": (2.5, "2.5", "2.5"),
    "min_workers": (5, "5", "5"),
    "eval_every": (4, "4", "4"),
    "checkpoint_every": (6, "6", "6"),
}
VARIED = Spec(**{name: value for name, (value, _, _) in EVERY.items()})


def by_flags(*argv: str) -> Spec:
    parser = ArgumentParser()
    add_spec_flags(parser)
    return spec_of(parser.parse_args(argv))


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_table_above_varies_every_field() -> None:
    assert list(EVERY) == [option.name for option in fields(Spec)]
    same = [name for name, value in asdict(VARIED).items() if value == getattr(Spec(), name)]
    assert same == []


def test_file_and_flags_give_the_same_spec(tmp_path: Path) -> None:
    argv = [part for name, (_, text, _) in EVERY.items() for part in (flag(name), text)]
    path = written(tmp_path, "".join(f"{name} = {toml}\n" for name, (_, _, toml) in EVERY.items()))
    assert by_flags(*argv) == VARIED
    assert Spec.read(path) == VARIED
    assert by_flags(str(path)) == VARIED


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'rounds = 7\nseed = 1\ndata = "digits"\n')
    assert by_flags(str(path), "--rounds", "9") == Spec(rounds=9, seed=1, data="digits")


def test_dashes_in_a_file_are_underscores(tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, "eval-every = 5\ncheckpoint_every = 6")) == Spec(
        eval_every=5, checkpoint_every=6
    )


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, "")) == Spec() == by_flags()


def test_types_are_those_of_the_fields(tmp_path: Path) -> None:
    spec = Spec.read(written(tmp_path, "norm = 2\npenalty = 1\nliars = [1]\nbyzantine = 1"))
    assert [type(value) for value in (spec.norm, spec.penalty, spec.liars)] == [float, float, tuple]


@pytest.mark.parametrize(
    "spec",
    [
        Spec(),
        VARIED,
        resolved(Spec(data="digits", byzantine=3, attack="gaussian")),
        resolved(Spec()),
        Spec(liars=()),
        Spec(norm=inf, penalty=1e-300, rate=5e-324, l2=1.7976931348623157e308),
        Spec(seed=2**70),
        Spec(penalty="auto", rate="auto"),
    ],
    ids=["default", "varied", "resolved", "nobody lies", "no liars", "extreme", "big seed", "auto"],
)
def test_toml_reads_back_equal(spec: Spec, tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, spec.to_toml())) == spec


@pytest.mark.parametrize(
    "text",
    ['"', "'", "\\", '\\"', "#", "é 漢 🙂", "a\tb.npz", "a\nb.npz", "a\rb.npz", "\x7f.npz", "\x01.npz", "= [1]"],
    ids=ascii,
)
def test_any_file_name_reads_back_equal(text: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_bytes(Spec(data=text).to_toml().encode())
    assert Spec.read(path).data == text


SPECS = st.builds(
    Spec,
    norm=st.floats(min_value=1, allow_nan=False),
    penalty=st.none() | st.floats(min_value=0, allow_nan=False),
    rate=st.none() | st.floats(allow_nan=False),
    workers=st.integers(min_value=10, max_value=10**12),
    byzantine=st.just(2),
    liars=st.none() | st.sets(st.integers(1, 10), min_size=2, max_size=2).map(tuple),
)


@given(spec=SPECS)
def test_any_number_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, spec: Spec) -> None:
    assert Spec.read(written(tmp_path_factory.getbasetemp(), spec.to_toml())) == spec


def test_numpy_numbers_read_back_equal(tmp_path: Path) -> None:
    numbers: dict[str, Any] = {"penalty": np.float64(0.25), "rounds": np.int64(9)}
    spec = Spec(**numbers)
    assert Spec.read(written(tmp_path, spec.to_toml())) == Spec(penalty=0.25, rounds=9)


def test_what_is_none_is_left_out() -> None:
    assert "penalty" not in Spec().to_toml()
    assert "None" not in Spec().to_toml()


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("methd", "method"), ("round", "rounds"), ("lambda", None), ("Penalty", "penalty"), ("eval_evry", "eval_every")],
)
def test_an_unknown_key_names_the_nearest_and_all(key: str, nearest: str | None) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.of({key: 1})
    message = str(raised.value)
    assert repr(key) in message
    assert ("did you mean" in message) == (nearest is not None)
    assert nearest is None or f"did you mean {nearest!r}?" in message
    assert all(option.name in message for option in fields(Spec))


def test_a_table_in_a_file_is_an_unknown_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="unknown key of a spec 'training'"):
        Spec.read(written(tmp_path, "[training]\nrounds = 3"))


@pytest.mark.parametrize(
    ("name", "value", "noun"),
    [
        ("rounds", 10.0, "a whole number"),
        ("rounds", "10.5", "a whole number"),
        ("rounds", "ten", "a whole number"),
        ("rounds", True, "a whole number"),
        ("rounds", [3], "a whole number"),
        ("declared", "many", "a whole number"),
        ("seed", "", "a whole number"),
        ("norm", "two", "a number"),
        ("norm", True, "a number"),
        ("norm", [2.0], "a number"),
        ("penalty", "0,5", "a number or auto"),
        ("rate", {}, "a number or auto"),
        ("liars", 5, "whole numbers"),
        ("liars", "1,x", "whole numbers"),
        ("liars", "", "whole numbers"),
        ("liars", [1.5], "whole numbers"),
        ("liars", [True], "whole numbers"),
        ("method", 3, "a text"),
        ("data", False, "a text"),
        ("attack", ["none"], "a text"),
    ],
    ids=repr,
)
def test_a_wrong_type_says_what_must_hold_and_what_was_found(name: str, value: Any, noun: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.of({name: value})
    assert str(raised.value) == f"{name} must be {noun}; got {value!r}"


def digits(changes: dict[str, Any]) -> Spec:
    return Spec(**{"data": "digits", "rounds": 1, **changes})


OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"workers": 0}, "workers must be at least 1; got 0"),
    ({"workers": -3}, "workers must be at least 1; got -3"),
    ({"byzantine": -1}, "byzantine must be at least 0; got -1"),
    ({"byzantine": 20}, "byzantine must be less than workers=20; got 20"),
    ({"byzantine": 21, "attack": "infinite"}, "byzantine must be less than workers=20; got 21"),
    ({"workers": 1, "byzantine": 1}, "byzantine must be less than workers=1; got 1"),
    ({"attack": "infinite"}, "attack needs byzantine of at least 1; got byzantine=0, attack=infinite"),
    ({"declared": -1}, "declared must be at least 0; got -1"),
    ({"norm": 0.99}, "norm must be at least 1; got 0.99"),
    ({"norm": nan}, "norm must be at least 1; got nan"),
    ({"norm": -inf}, "norm must be at least 1; got -inf"),
    ({"penalty": -0.01}, "penalty must be at least 0; got -0.01"),
    ({"penalty": nan}, "penalty must be at least 0; got nan"),
    ({"penalty": inf}, "penalty must be at least 0 and finite; got inf"),
    ({"rate": 0.0}, "rate must be positive and finite; got 0.0"),
    ({"rate": -0.1}, "rate must be positive and finite; got -0.1"),
    ({"rate": nan}, "rate must be positive and finite; got nan"),
    ({"rate": inf}, "rate must be positive and finite; got inf"),
    ({"l2": -1.0}, "l2 must be at least 0; got -1.0"),
    ({"l2": nan}, "l2 must be at least 0; got nan"),
    ({"l2": inf}, "l2 must be at least 0 and finite; got inf"),
    ({"scale": nan}, "scale must be .*; got nan"),
    ({"scale": inf}, "scale must be .*; got inf"),
    ({"batch": 0}, "batch must be at least 1; got 0"),
    ({"rounds": 0}, "rounds must be at least 1; got 0"),
    ({"seed": -1}, "seed must be at least 0; got -1"),
    ({"eval_every": 0}, "eval_every must be at least 1; got 0"),
    ({"checkpoint_every": 0}, "checkpoint_every must be at least 1; got 0"),
    ({"byzantine": 2, "liars": (3,)}, r"liars must name byzantine=2 different workers; got \(3,\)"),
    ({"byzantine": 2, "liars": (3, 3)}, r"liars must name byzantine=2 different workers; got \(3, 3\)"),
    ({"byzantine": 2, "liars": (1, 2, 3)}, r"liars must name byzantine=2 different workers; got \(1, 2, 3\)"),
    ({"liars": (1,)}, r"liars must name byzantine=0 different workers; got \(1,\)"),
    ({"byzantine": 1, "liars": (0,)}, "liars must be numbers from 1 to workers=20; got 0"),
    ({"byzantine": 2, "liars": (1, 21)}, "liars must be numbers from 1 to workers=20; got 21"),
]


@pytest.mark.parametrize(("changes", "message"), OUT_OF_RANGE, ids=lambda value: str(value) if value else "")
def test_what_is_out_of_range_is_refused_before_the_first_round(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        run(digits(changes))


@pytest.mark.parametrize(
    "edge",
    [
        {"workers": 1},
        {"byzantine": 19, "attack": "infinite"},
        {"byzantine": 2, "liars": (1, 20)},
        {"norm": 1.0},
        {"norm": inf},
        {"penalty": 0.0},
        {"l2": 0.0},
        {"batch": 1},
        {"seed": 0},
        {"byzantine": 3},
        {"declared": 7, "method": "trimmed-mean"},
    ],
    ids=str,
)
def test_the_edges_of_the_ranges_are_allowed(edge: dict[str, Any]) -> None:
    assert run(digits(edge)).rounds == 1


@pytest.mark.parametrize("name", ["method", "schedule", "reply", "problem", "weighting", "dtype"])
def test_a_choice_that_nobody_knows_lists_the_known(name: str) -> None:
    known: tuple[str, ...] = next(option.metadata["choices"] for option in fields(Spec) if option.name == name)
    with pytest.raises(InvalidInput) as raised:
        Spec.of({name: known[0] + "x"})
    message = str(raised.value)
    assert f"unknown {name} {known[0] + 'x'!r} (did you mean {known[0]!r}?)" in message
    assert message.endswith(f"known: {', '.join(known)}")


def test_the_choices_are_the_registries() -> None:
    choices = {option.name: option.metadata["choices"] for option in fields(Spec)}
    assert choices["method"] == tuple(methods.REGISTRY)


@pytest.mark.parametrize("content", [b"rounds = ", b"rounds = 1\nrounds = 2", b"\xff\xfe\x00", b"= 3"], ids=repr)
def test_a_file_that_is_no_toml_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"readable TOML file; got .*broken\.toml"):
        Spec.read(path)


def test_no_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(InvalidInput, match="readable TOML file") as raised:
            Spec.read(path)
        assert str(path) in str(raised.value)


def test_a_spec_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Spec().rounds = 3  # type: ignore[misc]
