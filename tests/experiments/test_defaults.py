"""The defaults that depend on the rest of a spec are the paper's."""

from dataclasses import fields
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import methods
from holdfast.experiments import Spec
from holdfast.experiments.defaults import resolved
from holdfast.methods import Rsa


def penalty_of(spec: Spec) -> float:
    assert isinstance(spec.method, Rsa)
    assert isinstance(spec.method.penalty, float)
    return spec.method.penalty


@pytest.mark.parametrize(("norm", "penalty", "rate"), [(1.0, 0.07, 0.001), (2.0, 1.2, 0.001), (inf, 20.0, 0.0001)])
def test_rsa_has_the_papers_numbers(norm: float, penalty: float, rate: float) -> None:
    spec = resolved(Spec(method=Rsa(norm=norm)))
    assert penalty_of(spec) == pytest.approx(penalty, rel=0.02)  # the paper's 1.2 lies within 2 % of our line
    assert spec.rate == pytest.approx(rate)


@given(st.floats(min_value=1, max_value=1e6), st.floats(min_value=1, max_value=1e6))
def test_between_the_norms_the_defaults_are_monotone(one: float, other: float) -> None:
    low, high = (resolved(Spec(method=Rsa(norm=norm))) for norm in sorted([one, other]))
    assert isinstance(low.rate, float)
    assert isinstance(high.rate, float)
    assert 0.07 <= penalty_of(low) <= penalty_of(high) <= 20.0
    assert 0.001 >= low.rate >= high.rate >= 0.0001


@pytest.mark.parametrize("method", methods.REGISTRY)
def test_every_method_has_every_default(method: str) -> None:
    spec = resolved(Spec(method=method, model="mlp"))
    assert [option.name for option in fields(spec) if getattr(spec, option.name) is None] == ["attack"]
    assert None not in vars(spec.method).values()
    assert spec.rate == (0.001 if method in ("rsa", "ideal-rsa") else 0.0001)


@pytest.mark.parametrize(("data", "scale"), [("digits", 16.0), ("mnist", 1.0), ("fashion-mnist", 1.0), ("a.npz", 1.0)])
def test_digits_are_stretched_to_a_byte_and_others_stay_raw(data: str, scale: float) -> None:
    assert resolved(Spec(data=data)).scale == scale


def test_the_last_workers_are_byzantine() -> None:
    assert resolved(Spec(workers=7, byzantine=3)).byzantine_workers == (5, 6, 7)
    assert resolved(Spec(workers=7)).byzantine_workers == ()


def test_rules_are_told_the_true_number() -> None:
    assert resolved(Spec(byzantine=3)).declared == 3
    assert resolved(Spec(byzantine=3, declared=5)).declared == 5


def test_what_is_given_stays() -> None:
    rsa = Rsa(penalty=0.0, ties="zero")
    given = Spec(method=rsa, rate=3.0, scale=0.5, byzantine=(1,), declared=0, data="digits")
    assert resolved(given) == given


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 3.0, inf])
def test_resolving_twice_changes_nothing(norm: float) -> None:
    once = resolved(Spec(method=Rsa(norm=norm), byzantine=2))
    assert resolved(once) == once
