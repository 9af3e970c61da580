"""A spec: what it takes and what it refuses. How it is written: test_spec_files.py."""

from argparse import ArgumentParser
from dataclasses import FrozenInstanceError, fields, replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from holdfast import data
from holdfast.attacks import Gaussian, SignFlip
from holdfast.cli.spec_flags import add_spec_flags, format_flag, read_spec
from holdfast.data import Dirichlet
from holdfast.engines import Ray
from holdfast.errors import InvalidInput
from holdfast.methods import DEFAULT, Rsa
from holdfast.methods.schedules import REGISTRY as SCHEDULES
from holdfast.problems import Logistic, Softmax
from holdfast.problems.modules.networks import Mlp
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

# every field, each away from its default: (value, as a flag, as TOML below its section)
EVERY: dict[str, tuple[Any, str, str]] = {
    "method": (Rsa(norm=inf, penalty=0.5), "rsa:norm=inf,penalty=.5", 'name = "rsa"\nnorm = inf\npenalty = 0.5'),
    "attack": (SignFlip(factor=-2.0), "sign-flip:factor=-2", 'name = "sign-flip"\nfactor = -2'),
    "byzantine": ((2, 5, 9), "2,5,9", "byzantine = [2, 5, 9]"),
    "declared": (4, "4", "declared = 4"),
    "data": ("digits", "digits", 'name = "digits"'),
    "partition": (Dirichlet(0.5), "dirichlet:alpha=0.5", 'partition = "dirichlet:alpha=0.5"'),
    "workers": (12, "12", "workers = 12"),
    "dealt": ("honest", "honest", 'dealt = "honest"'),
    "scale": (0.25, ".25", "scale = 0.25"),
    "problem": ("logistic", "logistic", 'name = "logistic"'),
    "model": (Mlp(hidden=9), "mlp:hidden=9", 'model = "mlp:hidden=9"'),
    "normalise": ("none", "none", 'normalise = "none"'),
    "augment": ("shift", "shift", 'augment = "shift"'),
    "device": ("cuda", "cuda", 'device = "cuda"'),
    "gradients": ("stacked", "stacked", 'gradients = "stacked"'),
    "chunk": (3, "3", "chunk = 3"),
    "weighting": ("sum", "sum", 'weighting = "sum"'),
    "l2": (0.0, "0", "l2 = 0"),
    "rounds": (11, "11", "rounds = 11"),
    "rate": (2e-05, "2e-5", "rate = 2e-5"),
    "schedule": ("constant", "constant", "schedule = 'constant'"),
    "momentum": (0.9, ".9", "momentum = 0.9"),
    "reduction": ("saga", "saga", 'reduction = "saga"'),
    "batch": (7, "7", "batch = 7"),
    "participation": (0.5, ".5", "participation = 0.5"),
    "weights": ("samples", "samples", 'weights = "samples"'),
    "weight_cap": (1.5, "1.5", "weight_cap = 1.5"),
    "byzantine_work": ("always", "always", 'byzantine-work = "always"'),
    "seed": (3, "3", "seed = 3"),
    "dtype": ("float64", "float64", 'dtype = "float64"'),
    "evaluated": ("average", "average", 'evaluated = "average"'),
    "eval_every": (4, "4", "eval_every = 4"),
    "checkpoint_every": (6, "6", "checkpoint_every = 6"),
    "engine": (Ray(shards=3), "ray:shards=3", 'name = "ray"\nshards = 3'),
}
VARIED = Spec(**{name: value for name, (value, _, _) in EVERY.items()})


def by_flags(*argv: str) -> Spec:
    parser = ArgumentParser()
    add_spec_flags(parser)
    return read_spec(parser.parse_args(argv))


def in_sections() -> str:
    """Return the third column as a TOML file."""
    lines: dict[str, list[str]] = {}
    for option in fields(Spec):
        lines.setdefault(option.metadata["section"], []).append(EVERY[option.name][2])
    return "".join(f"[{section}]\n" + "\n".join(told) + "\n" for section, told in lines.items())


def test_the_table_above_varies_every_field() -> None:
    assert list(EVERY) == [option.name for option in fields(Spec)]
    assert [name for name in EVERY if getattr(VARIED, name) == getattr(Spec(), name)] == []


def test_texts_give_the_same_spec() -> None:
    assert Spec.of({name: text for name, (_, text, _) in EVERY.items()}) == VARIED


def test_a_file_gives_the_same_spec(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(in_sections())
    assert Spec.read(tmp_path / "spec.toml") == VARIED


def test_flags_give_the_same_spec(tmp_path: Path) -> None:
    argv = [part for name, (_, text, _) in EVERY.items() for part in (format_flag(name), text)]
    (tmp_path / "spec.toml").write_text(in_sections())
    assert by_flags(*argv) == VARIED
    assert by_flags(str(tmp_path / "spec.toml")) == VARIED


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text('[training]\nrounds = 7\nseed = 1\n[data]\nname = "digits"\n')
    spec = by_flags(str(tmp_path / "spec.toml"), "--rounds", "9")
    assert spec == Spec(rounds=9, seed=1, data="digits")


def test_numbers_have_the_types_of_their_fields() -> None:
    numbers: dict[str, Any] = {"rounds": np.int64(9), "l2": np.float32(0.25), "seed": np.uint8(3), "rate": 1}
    spec = Spec(**numbers, byzantine=[1, np.int64(2)])  # type: ignore[arg-type]
    assert [type(value) for value in (spec.rounds, spec.l2, spec.seed, spec.rate)] == [int, float, int, float]
    assert spec.byzantine == (1, 2)
    assert [type(worker) for worker in spec.byzantine_workers] == [int, int]


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("methd", "method"), ("round", "rounds"), ("lambda", None), ("Rounds", "rounds"), ("eval_evry", "eval_every")],
)
def test_an_unknown_key_names_the_nearest_and_all(key: str, nearest: str | None) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.of({key: 1})
    message = str(raised.value)
    assert repr(key) in message
    assert ("did you mean" in message) == (nearest is not None)
    assert nearest is None or f"did you mean {nearest!r}?" in message
    assert all(option.name in message for option in fields(Spec))


@pytest.mark.parametrize(
    ("name", "value", "noun"),
    [
        ("rounds", 10.0, "a whole number >= 1"),
        ("rounds", "10.0", "a whole number >= 1"),
        ("rounds", "10.5", "a whole number >= 1"),
        ("rounds", "1e3", "a whole number >= 1"),
        ("rounds", "ten", "a whole number >= 1"),
        ("rounds", True, "a whole number >= 1"),
        ("rounds", [3], "a whole number >= 1"),
        ("declared", "many", "a whole number >= 0"),
        ("seed", "", "a whole number >= 0"),
        ("l2", "two", "a number >= 0"),
        ("l2", True, "a number >= 0"),
        ("l2", [2.0], "a number >= 0"),
        ("scale", "0,5", "a number or standard"),
        ("rate", {}, "a number or auto"),
        ("dtype", "float16", "float32 or float64"),
        ("weighting", "mena", "mean or sum"),
        ("schedule", 3, "a text"),
    ],
    ids=repr,
)
def test_a_wrong_type_says_what_must_hold_and_what_was_found(name: str, value: Any, noun: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.of({name: value})
    assert str(raised.value) == f"{name} must be {noun}; got {value!r}"


@pytest.mark.parametrize("value", ["1,x", "", [1.5], [1.0], [True], (0,), (-1,), -1, 2.0, "many", True], ids=repr)
def test_byzantine_is_a_count_or_worker_numbers(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^byzantine must be a whole number >= 0 or several of them, each a whole"):
        Spec(byzantine=value)


def digits(changes: dict[str, Any]) -> Spec:
    return Spec(**{"data": "digits", "rounds": 1, **changes})


OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"workers": 0}, "workers must be a whole number >= 1; got 0"),
    ({"workers": -3}, "workers must be a whole number >= 1; got -3"),
    ({"byzantine": 20}, "byzantine must be less than workers=20; got 20"),
    ({"byzantine": 21, "attack": "infinite"}, "byzantine must be less than workers=20; got 2"),
    ({"workers": 1, "byzantine": 1}, "byzantine must be less than workers=1; got 1"),
    ({"workers": 2, "byzantine": (1, 2)}, "byzantine must be less than workers=2; got 2"),
    ({"attack": "infinite"}, "attack needs byzantine of at least 1; got byzantine=0, attack=infinite"),
    ({"attack": "infinite", "byzantine": ()}, "attack needs byzantine of at least 1; got byzantine=0, attack=infinite"),
    ({"byzantine": (3, 3)}, r"byzantine must name different workers from 1 to 20; got \(3, 3\)"),
    ({"byzantine": (1, 21)}, r"byzantine must name different workers from 1 to 20; got \(1, 21\)"),
    ({"declared": -1}, "declared must be a whole number >= 0; got -1"),
    ({"method": "rsa:norm=0.99"}, "norm must be a number >= 1 or package.module:Name; got '0.99'"),
    ({"method": "rsa:norm=nan"}, "norm must be a number >= 1 or package.module:Name; got 'nan'"),
    ({"method": "rsa:norm=-inf"}, "norm must be a number >= 1 or package.module:Name; got '-inf'"),
    ({"method": "rsa:penalty=-0.01"}, "penalty of method 'rsa' must be a number >= 0 or auto; got '-0.01'"),
    ({"method": "rsa:penalty=nan"}, "penalty of method 'rsa' must be a number >= 0 or auto; got 'nan'"),
    ({"method": "rsa:penalty=inf"}, "penalty must be at least 0 and finite; got inf"),
    ({"rate": 0.0}, "rate must be positive and finite; got 0.0"),
    ({"rate": -0.1}, "rate must be positive and finite; got -0.1"),
    ({"rate": nan}, "rate must be positive and finite; got nan"),
    ({"rate": inf}, "rate must be positive and finite; got inf"),
    ({"l2": -1.0}, "l2 must be a number >= 0; got -1.0"),
    ({"l2": nan}, "l2 must be a number >= 0; got nan"),
    ({"l2": inf}, "l2 must be at least 0 and finite; got inf"),
    ({"scale": nan}, "scale must be .*; got nan"),
    ({"scale": inf}, "scale must be .*; got inf"),
    ({"scale": 0.0}, "scale must be .*; got 0.0"),
    ({"batch": 0}, "batch must be a whole number >= 1; got 0"),
    ({"rounds": 0}, "rounds must be a whole number >= 1; got 0"),
    ({"seed": -1}, "seed must be a whole number >= 0; got -1"),
    ({"momentum": -0.1}, "momentum must be a number >= 0 and < 1; got -0.1"),
    ({"momentum": 1.0}, "momentum must be a number >= 0 and < 1; got 1.0"),
    ({"momentum": nan}, "momentum must be a number >= 0 and < 1; got nan"),
    ({"participation": 0.0}, "participation must be a number > 0 and <= 1; got 0.0"),
    ({"participation": 1.01}, "participation must be a number > 0 and <= 1; got 1.01"),
    ({"eval_every": 0}, "eval_every must be a whole number >= 1; got 0"),
    ({"checkpoint_every": 0}, "checkpoint_every must be a whole number >= 1; got 0"),
]


@pytest.mark.parametrize(("changes", "message"), OUT_OF_RANGE, ids=lambda value: str(value) if value else "")
def test_what_is_out_of_range_is_refused_before_the_first_round(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        run(digits(changes))


@pytest.mark.parametrize(
    "edge",
    [
        {"workers": 1},
        {"byzantine": 19, "attack": "infinite", "method": "rsa:penalty=1", "rate": 0.001},
        {"byzantine": (1, 20)},
        {"byzantine": (20, 1), "attack": "infinite"},
        {"byzantine": ()},
        {"method": "rsa:norm=1"},
        {"method": "rsa:norm=inf"},
        {"method": "rsa:penalty=0"},
        {"l2": 0.0},
        {"batch": 1},
        {"seed": 0},
        {"momentum": 0.0},
        {"participation": 0.01},
        {"scale": -1.0},
        {"byzantine": 3},
        {"declared": 7, "method": "trimmed-mean"},
    ],
    ids=str,
)
def test_the_edges_of_the_ranges_are_allowed(edge: dict[str, Any]) -> None:
    assert run(digits(edge)).rounds == 1


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("method", "rsa"),
        ("attack", "infinite"),
        ("partition", "by-label"),
        ("problem", "softmax"),
        ("engine", "simulated"),
        ("schedule", "inverse-sqrt"),
    ],
)
def test_a_name_that_nobody_knows_lists_the_known(name: str, known: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.of({name: known + "x", "byzantine": 1})
    message = str(raised.value)
    assert f"unknown {name} {known + 'x'!r} (did you mean {known!r}?); known: " in message
    assert "\n" not in message


def test_data_are_looked_for_when_they_are_loaded() -> None:
    with pytest.raises(
        InvalidInput, match=r"unknown data set 'digit' \(did you mean 'digits'\?\); known: digits, mnist"
    ):
        run(Spec(data="digit", rounds=1))


def test_schedules_of_theorems_are_rsas() -> None:
    assert {"theorem2", "theorem-sqrt"}.isdisjoint(SCHEDULES)
    with pytest.raises(InvalidInput, match="theorem2 is a step size of rsa and ideal-rsa; got method=krum"):
        run(digits({"schedule": "theorem2", "method": "krum"}))


# -- parts as objects ------------------------------------------------------------------------------------------


def test_parts_may_be_classes_where_they_have_defaults() -> None:
    assert Spec(attack=Gaussian, byzantine=1).attack == Gaussian()
    with pytest.raises(InvalidInput, match="partition 'dirichlet' needs alpha; got none"):
        Spec(partition=Dirichlet)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attack": 3}, "an attack must derive from LocalAttack or ColludingAttack; got 3"),
        ({"attack": np.sign}, "an attack must derive from LocalAttack or ColludingAttack; got <ufunc"),
        ({"attack": "math:sin"}, "an attack must derive from LocalAttack or ColludingAttack; got <built-in"),
        ({"partition": 3}, "a partition must derive from Partition; got 3"),
        ({"partition": "math:pi"}, "a partition must derive from Partition; got 3.14"),
        ({"engine": 3}, "an engine must derive from EngineOptions; got 3"),
        ({"method": 3}, "a method must be a Method, or a rule: something to call with rows; got 3"),
        ({"method": "math:pi"}, "a method must be a Method, or a rule: something to call with rows; got 3.14"),
        ({"method": "math:pi+median"}, "a stage must be something to call with what was received; got 3.14"),
        ({"data": 3}, "data must be a name, a file, a table, a Dataset or a function that makes one; got 3"),
        ({"problem": 3}, "a problem must be a name, a Problem or what makes one; got 3"),
        ({"data": {"name": "digits", "part": 1}}, r"unknown key of \[data\] 'part' .*known: name, partition, workers"),
        ({"problem": {"l2": 1}}, r"unknown key of \[problem\] 'l2'.*known: name, model, .*weighting, l2"),
    ],
    ids=str,
)
def test_parts_of_another_kind_are_refused_at_once(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Spec(**{"byzantine": 1, **changes})


def test_parts_that_could_change_are_refused() -> None:
    class Rule:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, rows: Any) -> Any:
            return rows[0]

    with pytest.raises(InvalidInput, match="method must be hashable, such as a frozen dataclass; got"):
        Spec(method=Rule())


def test_data_may_be_a_path(tmp_path: Path) -> None:
    assert Spec(data=tmp_path / "a.npz").data == str(tmp_path / "a.npz")


def test_a_data_set_that_is_also_a_files_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file called digits is not the data set of that name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits").write_text("a file")
    assert run(Spec(data="digits", rounds=1)).spec.data == "digits"


@pytest.mark.parametrize("problem", [Softmax, "softmax", {"name": "softmax"}], ids=str)
def test_problems_may_be_classes(problem: Any) -> None:
    assert run(digits({"problem": problem})).model.tobytes() == run(digits({})).model.tobytes()


def test_a_problem_with_other_workers_is_refused() -> None:
    problem = Softmax.of(data.load("digits"), data.Iid(), workers=6)
    with pytest.raises(InvalidInput, match="a problem must have the workers 1 to 20; got 6 workers"):
        run(Spec(problem=problem, rounds=1))
    assert run(Spec(problem=problem, workers=6, rounds=1)).rounds == 1


def test_labels_that_a_problem_cannot_have_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 classes"):
        run(digits({"problem": Logistic}))


def test_a_spec_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Spec().rounds = 3  # type: ignore[misc]


def test_specs_with_equal_parts_are_equal() -> None:
    assert Spec(method="rsa:norm=2") == Spec(method=Rsa(norm=2.0)) == replace(Spec(), method={"name": "rsa", "norm": 2})
    assert len({Spec(method="rsa"), Spec(method=Rsa())}) == 1
    assert Spec() == Spec(method=DEFAULT) != Spec(method="rsa")
