"""The defaults that depend on the rest of a spec."""

from dataclasses import fields
from math import inf

import pytest

from holdfast import methods
from holdfast.errors import InvalidInput
from holdfast.methods import IdealRsa, Rsa
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec


@pytest.mark.parametrize("norm", [1.0, 2.0, inf])
def test_lambda_and_alpha_are_found_from_the_data(norm: float) -> None:
    spec = fill_defaults(Spec(method=Rsa(norm=norm)))
    assert isinstance(spec.method, Rsa)
    assert (spec.method.penalty, spec.rate) == ("auto", "auto")


@pytest.mark.parametrize("kind", [Rsa, IdealRsa])
def test_the_norm_is_2_unless_it_must_be_1(kind: type[Rsa]) -> None:
    assert [kind().norm, kind(messages="bits").norm, kind(ties="coin").norm, kind(norm=3.0).norm] == [
        2.0,
        1.0,
        1.0,
        3.0,
    ]
    with pytest.raises(InvalidInput, match="need norm 1; got norm=2"):
        kind(messages="bits", norm=2.0)
    bits = Spec(method={"name": "rsa", "messages": "bits"})
    assert Spec.of_tables(bits.tables()) == bits


@pytest.mark.parametrize("method", methods.REGISTRY)
def test_every_method_has_every_default(method: str) -> None:
    spec = fill_defaults(Spec(method=method, model="mlp"))
    left_open = [option.name for option in fields(spec) if getattr(spec, option.name) is None]
    assert left_open == ["attack", "gradients", "chunk"]  # the last two are timed when a run begins
    assert None not in vars(spec.method).values()
    assert spec.rate == "auto"


@pytest.mark.parametrize(("data", "scale"), [("digits", 16.0), ("mnist", 1.0), ("fashion-mnist", 1.0), ("a.npz", 1.0)])
def test_digits_are_stretched_to_a_byte_and_others_stay_raw(data: str, scale: float) -> None:
    assert fill_defaults(Spec(data=data, problem="softmax")).scale == scale  # no data are looked at


def test_the_last_workers_are_byzantine() -> None:
    assert fill_defaults(Spec(workers=7, byzantine=3)).byzantine_workers == (5, 6, 7)
    assert fill_defaults(Spec(workers=7)).byzantine_workers == ()


def test_rules_are_told_the_true_number() -> None:
    assert fill_defaults(Spec(byzantine=3)).declared == 3
    assert fill_defaults(Spec(byzantine=3, declared=5)).declared == 5


def test_what_is_given_stays() -> None:
    rsa = Rsa(penalty=0.0, ties="zero")
    about = {"rate": 3.0, "scale": 0.5, "byzantine": (1,), "declared": 0, "momentum": 0.5, "l2": 0.5}
    given = Spec.of({"method": rsa, "data": "digits", "problem": "logistic", **about})
    assert fill_defaults(given) == given


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 3.0, inf])
def test_resolving_twice_changes_nothing(norm: float) -> None:
    once = fill_defaults(Spec(method=Rsa(norm=norm), byzantine=2))
    assert fill_defaults(once) == once
