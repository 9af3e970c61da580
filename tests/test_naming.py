"""Four spellings of one thing: text, table, object and `package.module:Name` give equal parts, and read back."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outsiders
from holdfast import aggregators, attacks, methods, stages
from holdfast.attacks import ATTACKS, Duplicate, SameValue, SignFlip
from holdfast.data import PARTITIONS, Dirichlet, load
from holdfast.data.partitions import REGISTRY as PARTITION_NAMES
from holdfast.engines.engine_options import ENGINES
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Rsa, make_method, method_labels, method_name, method_table, method_text
from holdfast.methods.names import STAGES
from holdfast.naming import Family, options_of, source_of
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.comparison import compare

NEEDED: dict[str, dict[str, Any]] = {
    "dirichlet": {"alpha": 0.5},
    "assignment": {"file": str(Path(__file__).with_name("assigned.csv"))},
}
"""Options without a default."""
PLAIN: dict[str, Family[Any]] = {"attack": ATTACKS, "partition": PARTITIONS, "engine": ENGINES, "stage": STAGES}
MEMBERS = [(kind, name) for kind, family in PLAIN.items() for name in family.registry]
METHODS = [
    *methods.REGISTRY,
    "mean",
    *(f"{stage}+{rule}" for stage in stages.REGISTRY for rule in aggregators.REGISTRY),
    "bucketing+nnm+krum",
]


# -- ours ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "name"), MEMBERS)
def test_four_spellings_are_equal(kind: str, name: str) -> None:
    family = PLAIN[kind]
    options, member = NEEDED.get(name, {}), family.registry[name]
    text = ":".join(filter(None, [name, ",".join(f"{key}={value}" for key, value in options.items())]))
    imported = text.replace(name, f"{member.__module__}:{member.__qualname__}", 1)
    made = member(**options)
    spellings = [text, {"name": name, **options}, made, imported]
    assert [family.make(each) for each in spellings] == [made] * 4
    assert family.name(made) == name
    assert family.make(family.text(made)) == family.make(family.text(made, full=True)) == made
    assert family.make(family.table(made)) == made
    if not options:
        assert family.make(member) == made


@pytest.mark.parametrize("name", METHODS)
def test_four_spellings_of_a_method_are_equal(name: str) -> None:
    made = make_method(name)
    parts = (*made.stages, made.rule) if isinstance(made, Aggregated) else (made,)
    imported = "+".join(f"{type(part).__module__}:{type(part).__qualname__}" for part in parts)
    *before, last = name.split("+")
    table = {"name": last, "stages": before} if before else {"name": name}
    assert [make_method(each) for each in (table, made, imported)] == [made] * 3
    assert method_name(made) == ("sgd" if name == "mean" else name)
    assert make_method(method_text(made)) == make_method(method_text(made, full=True)) == made
    assert make_method(method_table(made)) == made


def test_a_rule_alone_is_a_method() -> None:
    krum = aggregators.Krum(byzantine=3)
    assert make_method(krum) == make_method("krum:byzantine=3") == Aggregated(krum)
    assert make_method(aggregators.Krum) == make_method("krum")


FINITE = st.floats(allow_nan=False)
POSITIVE = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
COUNT = st.integers(0, 10**6)
RULES = (
    st.builds(aggregators.Krum, byzantine=st.none() | COUNT)
    | st.builds(aggregators.MultiKrum, byzantine=st.none() | COUNT)
    | st.builds(aggregators.TrimmedMean, trim=st.none() | COUNT)
    | st.builds(aggregators.CenteredClipping, radius=POSITIVE, steps=st.integers(1, 100))
    | st.just(aggregators.Mean())
)
PARTS = {
    "attack": st.builds(SignFlip, factor=FINITE)
    | st.builds(SameValue, value=FINITE)
    | st.builds(Duplicate, worker=st.integers(-(10**9), 10**9)),
    "partition": st.builds(Dirichlet, alpha=POSITIVE, per=st.sampled_from(["class", "worker"])),
    "stage": st.builds(stages.Bucketing, size=st.integers(1, 10**6))
    | st.builds(stages.NearestNeighbourMixing, byzantine=st.none() | COUNT),
}


@pytest.mark.parametrize("kind", PARTS)
@given(drawn=st.data())
def test_any_options_read_back(kind: str, drawn: st.DataObject) -> None:
    family = PLAIN[kind]
    part = drawn.draw(PARTS[kind])
    for full in (False, True):
        assert family.make(family.text(part, full)) == part
    assert family.make(family.table(part)) == part


@given(rule=RULES, before=st.lists(PARTS["stage"], max_size=3))
def test_any_options_of_rules_and_stages_read_back(rule: Any, before: list[Any]) -> None:
    method = Aggregated(rule, tuple(before))
    for full in (False, True):
        assert make_method(method_text(method, full)) == method
    assert make_method(method_table(method)) == method


@given(
    st.builds(
        Rsa,
        norm=st.just(1.0),
        penalty=st.just("auto") | st.floats(min_value=0, allow_nan=False),
        messages=st.sampled_from(["full", "bits"]),
        ties=st.sampled_from([None, "coin"]),
        local_steps=st.integers(1, 1000),
        reply=st.sampled_from(["current", "updated"]),
    )
    | st.builds(Rsa, norm=st.floats(min_value=1, allow_nan=False))
)
def test_any_options_of_rsa_read_back(method: Rsa) -> None:
    for full in (False, True):
        assert make_method(method_text(method, full)) == method
    assert make_method(method_table(method)) == method


def test_texts_leave_defaults_out_unless_asked() -> None:
    assert ATTACKS.text(SignFlip()) == "sign-flip"
    assert ATTACKS.text(SignFlip(), full=True) == "sign-flip:factor=-4"
    assert method_text(make_method("nnm+krum:byzantine=3")) == "nnm+krum:byzantine=3"
    assert [method_text(Rsa(norm=norm)) for norm in (1.0, 2.0)] == ["rsa:norm=1", "rsa"]


def test_labels_tell_methods_of_one_name_apart() -> None:
    made = [make_method(text) for text in ("krum", "rsa", "krum:byzantine=2", "rsa")]
    assert list(method_labels(made).values()) == ["krum", "rsa", "krum:byzantine=2"]


def test_numpy_numbers_are_plain_ones() -> None:
    flip = SignFlip(np.float32(-2))  # type: ignore[arg-type]
    assert flip == SignFlip(-2.0)
    assert type(flip.factor) is float
    assert ATTACKS.text(flip) == "sign-flip:factor=-2"
    assert type(Dirichlet(np.float64(0.5)).alpha) is float
    assert type(make_method({"name": "krum", "byzantine": np.int64(2)}).rule.byzantine) is int  # type: ignore[attr-defined]
    assert options_of(outsiders.Middle(low=np.float32(0.5)), full=False) == {"low": 0.5}  # type: ignore[arg-type]
    assert type(options_of(outsiders.Middle(low=np.float32(0.5)), full=False)["low"]) is float  # type: ignore[arg-type]


# -- errors ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "sign-flop",
            "unknown attack 'sign-flop' (did you mean 'sign-flip'?); known: infinite, negative-sum, same-value",
        ),
        ("zzz", "unknown attack 'zzz'; known: infinite"),
        ("sign-flip:factr=2", "unknown option of attack 'sign-flip' 'factr' (did you mean 'factor'?); known: factor"),
        ("sign-flip:2", "options of an attack are written key=value; got '2'"),
        ("sign-flip:factor=1,factor=2", "each option of attack 'sign-flip' is given once; got factor twice"),
        ("sign-flip:factor=two", "factor of attack 'sign-flip' must be a number; got 'two'"),
        ("sign-flip:factor=", "factor of attack 'sign-flip' must be a number; got ''"),
        ("duplicate:worker=1.5", "worker of attack 'duplicate' must be a whole number; got '1.5'"),
        ("infinite:x=1", "attack 'infinite' takes no options; got x"),
        ("no_such_module:Name", "attack 'no_such_module:Name' must be something that can be imported; got No module"),
        (
            "outsiders:Nobody",
            "attack 'outsiders:Nobody' must be something that can be imported; got module 'outsiders'",
        ),
        ("outsiders:Doubled:kind=odd", "kind of attack 'outsiders:Doubled' must be plain or opposite; got 'odd'"),
        ("outsiders:Doubled:time=2", "unknown option of attack 'outsiders:Doubled' 'time' (did you mean 'times'?)"),
        ("outsiders:Middle", "an attack must derive from LocalAttack or ColludingAttack; got Middle("),
    ],
)
def test_errors_are_one_line_that_helps(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        ATTACKS.make(text)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_dashes_and_underscores_are_one_option() -> None:
    assert make_method("rsa:local-steps=3") == make_method({"name": "rsa", "local-steps": 3}) == Rsa(local_steps=3)
    with pytest.raises(InvalidInput, match="each option of method 'rsa' is given once; got local_steps twice"):
        make_method("rsa:local-steps=3,local_steps=4")


def test_tables_need_a_name_and_partitions_their_options() -> None:
    with pytest.raises(InvalidInput, match="a table of an attack needs a name; got the keys factor"):
        ATTACKS.make({"factor": 2})
    with pytest.raises(InvalidInput, match="partition 'dirichlet' needs alpha; got none"):
        PARTITIONS.make("dirichlet")
    with pytest.raises(InvalidInput, match="dirichlet needs alpha > 0; got alpha=0"):
        PARTITIONS.make("dirichlet:alpha=0")


@pytest.mark.parametrize("name", ["rsa", "ideal-rsa", "ideal-sgd"])
def test_stages_belong_to_rules_on_gradients(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"stages come before a rule on gradients; got {name} after them"):
        make_method(f"nnm+{name}")


def test_a_constructor_may_refuse_values_in_its_own_words() -> None:
    assert Refusing(1).count == 1
    with pytest.raises(InvalidInput, match=r"partition '.*:Refusing' must accept its options; got count is too small"):
        PARTITIONS.make(f"{__name__}:Refusing:count=0")


@dataclass(frozen=True)
class Refusing(outsiders.Stripes):
    """A partition that says no by a ValueError."""

    count: int = 1

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ValueError("count is too small")


def test_every_member_of_a_registry_has_another_name() -> None:
    for registry in (methods.REGISTRY, attacks.REGISTRY, PARTITION_NAMES, stages.REGISTRY, aggregators.REGISTRY):
        assert len(set(registry.values())) == len(registry)


# -- from outside ----------------------------------------------------------------------------------------------

OUTSIDE: dict[str, list[Any]] = {
    "rule": ["outsiders:Middle:low=0.1", {"name": "outsiders:Middle", "low": 0.1}, outsiders.Middle(0.1)],
    "function": ["outsiders:first_row", {"name": "outsiders:first_row"}, outsiders.first_row],
    "memory": ["outsiders:Lagged", {"name": "outsiders:Lagged"}, outsiders.Lagged()],
    "method": ["outsiders:Plain:factor=2", {"name": "outsiders:Plain", "factor": 2}, outsiders.Plain(2.0)],
    "stage": [
        "outsiders:Clipped:length=0.5+median",
        {"name": "median", "stages": [{"name": "outsiders:Clipped", "length": 0.5}]},
        Aggregated(aggregators.Median(), (outsiders.Clipped(0.5),)),
    ],
}
BASE = Spec(data="digits", workers=8, rounds=5, eval_every=5, batch=4)


@pytest.mark.parametrize("spellings", OUTSIDE.values(), ids=OUTSIDE)
def test_methods_from_outside_run_in_every_spelling(spellings: list[Any]) -> None:
    specs = [replace(BASE, method=each) for each in spellings]
    assert specs[0] == specs[1] == specs[2]
    assert make_method(method_text(specs[0].method)) == specs[0].method
    assert make_method(method_table(specs[0].method)) == specs[0].method
    results = [run(spec) for spec in specs]
    assert len({result.model.tobytes() for result in results}) == 1
    assert np.abs(results[0].model).max() > 0
    assert [source["name"] for source in specs[0].sources()] == [f"outsiders:{name_of(spellings[2])}"]


def name_of(part: Any) -> str:
    part = part.stages[0] if isinstance(part, Aggregated) else part
    return str(getattr(part, "__name__", type(part).__name__))


def test_a_rule_that_is_no_dataclass_keeps_its_options() -> None:
    method = make_method(outsiders.Halved(0.25))
    assert method_text(method) == "outsiders:Halved:factor=0.25"
    assert method_table(method) == {"name": "outsiders:Halved", "factor": 0.25}
    again = make_method(method_text(method))
    rows = np.array([[4.0], [8.0], [12.0]])
    assert again.rule(rows) == method.rule(rows) == 2.0  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="Forgetful must keep its options as attributes; got none named factor"):
        method_text(make_method(outsiders.Forgetful(0.1)))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("outsiders:Doubled:times=3,kind=opposite", outsiders.Doubled(3.0, "opposite")),
        ("outsiders:Crowd", outsiders.Crowd()),
    ],
)
def test_attacks_from_outside_run_in_every_spelling(text: str, made: Any) -> None:
    table = ATTACKS.table(made)
    specs = [replace(BASE, attack=each, byzantine=2) for each in (text, table, made)]
    assert specs[0] == specs[1] == specs[2]
    assert specs[0].attack_text == text
    results = [run(spec) for spec in specs]
    assert len({result.model.tobytes() for result in results}) == 1
    assert results[0].model.tobytes() != run(replace(BASE, byzantine=2)).model.tobytes()
    assert [source["name"] for source in specs[0].sources()] == [f"outsiders:{type(made).__name__}"]


def test_partitions_and_data_from_outside() -> None:
    spec = Spec(data="outsiders:squares", partition="outsiders:Stripes:offset=1", workers=4, rounds=5)
    made = Spec(data=outsiders.squares, partition=outsiders.Stripes(1), workers=4, rounds=5)
    assert run(spec).model.tobytes() == run(made).model.tobytes()
    assert load("outsiders:squares").train_features.shape == (48, 2, 3)
    assert load("outsiders:squares:size=20").train_features.shape == (16, 2, 3)
    assert [source["name"] for source in spec.sources()] == ["outsiders:Stripes", "outsiders:squares"]
    assert [source["name"] for source in made.sources()] == ["outsiders:Stripes", "outsiders:squares"]
    assert spec.sources() == made.sources()
    with pytest.raises(InvalidInput, match="data must be a Dataset, or make one; got float from 'math:pi'"):
        load("math:pi")


def test_problems_from_outside() -> None:
    named, made = (replace(BASE, problem=each) for each in ("outsiders:Quadratic", outsiders.Quadratic))
    assert run(named).model.tobytes() == run(made).model.tobytes()
    assert named.sources() == made.sources()
    assert named.sources()[0]["name"] == "outsiders:Quadratic"
    with pytest.raises(InvalidInput, match=r"a problem must have what holdfast.problems.Problem asks for; got Dataset"):
        run(replace(BASE, problem=lambda data, *_, **options: data))


def test_ours_have_no_source_and_others_the_hash_of_their_file() -> None:
    assert source_of(SignFlip()) is None
    assert source_of(Rsa) is None
    found = source_of(outsiders.Middle())
    assert found is not None
    assert found["file"] == outsiders.__file__
    assert len(found["sha256"]) == 64
    assert Spec(method="nnm+krum", attack="gaussian", byzantine=1, data="digits").sources() == []


def test_a_comparison_takes_parts_from_outside() -> None:
    """In other processes, which import them anew; also NaN and data sets, which equal only themselves."""
    data = outsiders.squares()
    base = Spec(data=data, workers=4, rounds=3, byzantine=1, attack=SameValue(np.nan))
    specs = [base, replace(base, method=outsiders.Middle(), attack=outsiders.Crowd()), base]
    found = compare(specs, jobs=2)
    assert [result.model.tobytes() for result in found] == [run(spec).model.tobytes() for spec in specs]
    assert [result.spec.data for result in found] == [data] * 3


@pytest.mark.parametrize("name", PARTITION_NAMES)
def test_usage_lists_every_option(name: str) -> None:
    usage = PARTITIONS.usage(name)
    assert usage.partition(":")[0] == name
    for field in fields(PARTITION_NAMES[name]):  # type: ignore[arg-type]
        assert f"{field.name}=" in usage
