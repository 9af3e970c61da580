"""Claims can turn out false, and say by how much."""

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.errors import InvalidInput
from holdfast.runs.metrics import Evaluation
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.studies.paper.claims import CLAIMS, judge
from holdfast.studies.paper.claims.claim import Verdict, differences, to_toml
from holdfast.studies.paper.claims.criteria import better, fails, near_optimal, slightly_worse, slower, wider, within
from holdfast.studies.paper.figures import NAMES, YARDSTICKS, Curve, figure
from holdfast.studies.paper.findings import CurveFindings, Findings
from holdfast.studies.paper.rates import load_rates

PAPER = Spec()


def record(accuracy: float, spec: Spec = PAPER, milliseconds: float = 1.0, variance: float = 0.1) -> Record:
    """A run that ended so; half as accurate after a fifth of its rounds."""
    history = tuple(
        Evaluation(round=round, accuracy=share * accuracy, loss=1.0, variance=variance, distance=0.1)
        for round, share in ((spec.rounds // 5, 0.5), (spec.rounds, 1.0))
    )
    return Record(spec, history, spec.rounds, None, 1.0, milliseconds * spec.rounds / 1000, 0.0)


def curve(label: str, *accuracies: float, ceiling: float = 1.0, milliseconds: float = 1.0) -> CurveFindings:
    made = (replace(record(accuracy, milliseconds=milliseconds), ceiling=ceiling) for accuracy in accuracies)
    return CurveFindings(Curve(label, Spec()), tuple(made))


def test_close_is_a_difference_of_means() -> None:
    assert within(curve("a", 0.9, 0.92), curve("b", 0.929), 0.02).passed  # means 0.91 and 0.929
    assert not within(curve("a", 0.9, 0.92), curve("b", 0.931), 0.02).passed
    assert within(curve("a", 0.95), curve("b", 0.94), 0.02).why == "a and b differ by 0.010"


def test_better_needs_every_seed_and_the_margin() -> None:
    assert better(curve("a", 0.91, 0.93), curve("b", 0.89, 0.90)).passed
    overlapping = better(curve("a", 0.89, 0.95), curve("b", 0.88, 0.90))
    assert not overlapping.passed
    assert overlapping.why == "a ends 0.030 above b, their seeds overlap"
    assert not better(curve("a", 0.91), curve("b", 0.90), by=0.02).passed
    assert better(curve("a", 0.95), curve("b", 0.90), by=0.02).passed


def test_slightly_worse_is_worse() -> None:
    assert slightly_worse(curve("a", 0.90), curve("b", 0.92)).passed
    assert not slightly_worse(curve("a", 0.92), curve("b", 0.92)).passed
    assert not slightly_worse(curve("a", 0.80), curve("b", 0.92)).passed


def test_failing_and_succeeding_are_shares_of_what_is_possible() -> None:
    assert fails(curve("a", 0.29, ceiling=0.6)).passed  # 0.29 < 0.5 * 0.6
    assert not fails(curve("a", 0.31, ceiling=0.6)).passed
    assert near_optimal(curve("a", 0.55, ceiling=0.6)).passed  # 0.55 > 0.9 * 0.6
    assert not near_optimal(curve("a", 0.53, ceiling=0.6)).passed


def test_slower_by_at_most_so_much() -> None:
    one, other = curve("a", 0.9, milliseconds=1.2), curve("b", 0.9, milliseconds=1.0)
    assert slower(one, other, 1.25).passed
    assert not slower(one, other, 1.15).passed
    assert not slower(other, one).passed


def test_wider_needs_every_seed() -> None:
    wide = CurveFindings(Curve("a", Spec()), (record(0.9, variance=3.0), record(0.9, variance=2.0)))
    narrow = CurveFindings(Curve("b", Spec()), (record(0.9, variance=1.0), record(0.9, variance=1.9)))
    assert wider(wide, narrow).passed
    assert not wider(narrow, wide).passed
    assert "1.7 times" in wider(wide, narrow).why  # 2.5 / 1.45


LAMBDA0 = {"l1": 0.1, "l2": 1.0, "l-infinity": 60.0}


def made(accuracy: float) -> list[Findings]:
    """All figures, every curve of which ended with the same accuracy, variance and time."""
    figures = (figure(name, load_rates(), data="digits") for name in (*NAMES, *YARDSTICKS))
    return [Findings.of(each, (0, 1), lambda spec: record(accuracy, spec)) for each in figures]


def test_every_claim_is_judged_and_names_a_figure() -> None:
    judged = judge(made(0.9), LAMBDA0)
    assert [each.claim for each in judged] == list(CLAIMS)
    names = [claim.name for claim in CLAIMS]
    assert len(set(names)) == len(names)
    assert {name for claim in CLAIMS for name in claim.figures} == {*NAMES, *YARDSTICKS, "theory"}
    assert all(each.why for each in judged)


def test_claims_that_compare_fail_when_all_are_the_same() -> None:
    verdicts = {each.claim.name: each.verdict for each in judge(made(0.9))}
    assert verdicts["no-attack: RSA close to Ideal SGD"] is Verdict.HOLDS
    assert verdicts["heterogeneous: RSA near-optimal with q = 8"] is Verdict.FAILS  # 0.9 is not above 0.9 * 1.0
    assert verdicts["runtime: signs are the only overhead"] is Verdict.UNTESTABLE
    for name in (
        "no-attack: RSA and GeoMed ahead",
        "same-value: Krum worse with q = 8",
        "sign-flipping: SGD fails",
        "runtime: GeoMed slowest",
        "lambda: a large one ends far from the best",
        "norms: l-infinity varies most",
        "remark 2: a small p brings consensus",
        "heterogeneous: all but RSA fail with q = 8",
        "label-poisoning: the mean ahead, by label",
        "duplication: plain averaging wins with q = 4",
    ):
        assert verdicts[name] is Verdict.FAILS, name


def test_every_testable_claim_can_both_hold_and_fail() -> None:
    """Either all being equally good or all being equally bad refutes it, or it is a claim about equality."""
    good = {each.claim.name: each.verdict for each in judge(made(0.95))}
    bad = {each.claim.name: each.verdict for each in judge(made(0.1))}
    equality = [name for name in good if good[name] is bad[name] is Verdict.HOLDS]
    assert all(word in " ".join(equality) for word in ("close", "the same", "similar"))
    for name in equality:
        assert any(
            word in name for word in ("close", "same", "similar", "nothing", "no q", "works", "work well", "helps")
        ), name


def test_claims_on_lambda0_follow_it() -> None:
    small = {each.claim.name: each.verdict for each in judge(made(0.9), LAMBDA0)}
    other = {
        each.claim.name: each.verdict for each in judge(made(0.9), {"l1": 0.001, "l2": 0.0005, "l-infinity": 50.0})
    }
    for name in (
        "remark 2: a lambda below lambda_0 is best",  # of equal ones the first is best, 0.001
        "remark 2: a small p has a small lambda_0",
        "norms: l-infinity needs a large lambda for consensus",
    ):
        assert small[name] is Verdict.HOLDS
        assert other[name] is Verdict.FAILS
        assert name not in {each.claim.name for each in judge(made(0.9))}


def test_only_claims_whose_figures_were_run_are_judged() -> None:
    alone = [found for found in made(0.9) if found.figure.name == "norms"]
    names = [each.claim.name for each in judge(alone)]
    assert "norms: l1 and l2 close" in names
    assert "remark 2: l1 and l2 work well" not in names  # it needs Ideal SGD of no-attack
    assert not any(name.startswith("lambda") for name in names)


def test_a_change_of_verdict_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.toml"
    judged = judge(made(0.9))
    path.write_text(to_toml(judged))
    assert differences(judged, path) == []
    changed = [replace(each, verdict=Verdict.HOLDS) for each in judged]
    assert "same-value: Krum worse with q = 8: holds, on record: does not hold" in differences(changed, path)
    assert not any(line.startswith("runtime") for line in differences(changed, path)), "seconds are not on record"
    assert "no-attack: RSA close to Ideal SGD: not judged, on record: holds" in differences(judged[2:], path)


def test_verdicts_on_record_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"expected verdicts must be in a readable TOML file; got .*absent"):
        differences([], tmp_path / "absent")


def test_one_rule_that_is_as_good_as_the_mean_refutes_that_the_mean_is_ahead() -> None:
    def ended(spec: Spec) -> float:
        return 0.9 if spec.method_name in ("sgd", winner) else 0.8

    def verdict(name: str) -> Verdict:
        found = Findings.of(
            figure("label-poisoning", load_rates(), data="digits"), (0, 1), lambda spec: record(ended(spec), spec)
        )
        return {each.claim.name: each.verdict for each in judge([found])}[f"label-poisoning: {name}"]

    winner = "ideal-sgd"
    assert verdict("the mean ahead, mild") is Verdict.HOLDS
    assert verdict("mean and robust rules close, iid") is Verdict.FAILS
    assert verdict("RSA close to the mean, by label") is Verdict.FAILS
    winner = "faba"
    assert verdict("the mean ahead, mild") is Verdict.FAILS
    assert verdict("RSA ahead of the robust rules, by label") is Verdict.FAILS
