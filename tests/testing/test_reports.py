"""What a report says, how parts are named, and when hypothesis is missing."""

import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import pytest

from holdfast.aggregators import Krum, Mean, Median
from holdfast.errors import InvalidInput
from holdfast.methods import L2
from holdfast.problems import Softmax
from holdfast.testing import LawBroken, check, check_problem, check_rule, kind_of, make_named
from holdfast.testing.problem_laws import few_samples
from holdfast.typing import Rows


def first(rows: Rows) -> Any:
    return rows[0].copy()


def test_a_counterexample_is_small_and_shows_what_came_out() -> None:
    law = check_rule(first, raise_on_failure=False, seconds=60)["ignores-the-order"]
    assert law.counterexample == (
        "rows=array([[0.1257, -0.1321], [0.6404, 0.1049], [-0.5357, 0.3616]]), order=1: "
        "of array([[0.6404, 0.1049], [0.1257, -0.1321], [-0.5357, 0.3616]]) "
        "the result is array([0.6404, 0.1049]), not array([0.1257, -0.1321])"
    )


def test_the_same_part_gets_the_same_report() -> None:
    one, other = (check_rule(first, raise_on_failure=False, examples=20, seconds=60) for _ in range(2))
    assert one == other


def test_a_rule_that_is_not_told_need_not_be_robust_unless_asked() -> None:
    report = check_rule(Mean(), examples=20)
    assert report.holds
    assert (report["stays-bounded"].holds, report["stays-bounded"].required) == (False, False)
    assert "  no      stays-bounded: " in str(report)
    with pytest.raises(LawBroken, match="breaks 1 of 12 laws\n  BROKEN  stays-bounded"):
        check_rule(Mean(), robust=True, examples=20)
    assert check_rule(Median(), robust=True, examples=20)["stays-bounded"].holds


def test_laws_of_other_families_do_not_apply() -> None:
    law = check_rule(Median(), examples=5)["turns-with-the-rows"]
    assert (law.holds, law.note) == (None, "a law of what sees lengths and angles only")


@dataclass(frozen=True)
class Picky:
    def __call__(self, rows: Rows) -> Any:
        raise InvalidInput(f"Picky needs n >= 1000; got n={len(rows)}")


def test_a_part_that_refuses_everything_keeps_no_law() -> None:
    law = check_rule(Picky(), raise_on_failure=False)["gives-one-vector"]
    assert law.holds is False
    assert str(law.counterexample).startswith("every input was refused: Picky needs n >= 1000; got n=")


def test_a_rule_with_a_count_of_its_own_keeps_it() -> None:
    assert check_rule(Krum(byzantine=4), examples=5).part == "Krum(byzantine=4)"
    assert check_rule(Krum(), declared=1, examples=5).part == "Krum(byzantine=1)"


def test_a_slow_part_is_tried_less_often() -> None:
    calls = 0

    def slow(rows: Rows) -> Any:
        nonlocal calls
        calls += 1
        until = perf_counter() + 0.002
        while perf_counter() < until:
            pass
        return rows.mean(axis=0)

    assert check_rule(slow, seconds=0.1).holds
    assert calls < 150


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("krum:byzantine=1", "rule"),
        ("nnm", "stage"),
        ("sign-flip:factor=-2", "attack"),
        ("dirichlet:alpha=0.5", "partition"),
        ("softmax", "problem"),
        ("rsa:norm=2", "method"),
        ("sgd", "method"),
        ("nnm+median", "method"),
        ("holdfast.methods:L2:weight=0.5", "penalty"),
        ("holdfast.aggregators:Krum:byzantine=1", "rule"),
        ("holdfast.problems:Softmax", "problem"),
        ("holdfast.methods:Rsa:norm=2", "method"),
        ("numpy:median", "rule"),
    ],
)
def test_kinds_are_known_by_name_and_by_base_class(text: str, kind: str) -> None:
    assert make_named(text)[0] == kind


def test_parts_are_made_with_their_options() -> None:
    assert make_named("holdfast.methods:L2:weight=0.5")[1] == L2(0.5)
    assert make_named("holdfast.aggregators:Krum", "method")[0] == "method"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("krumm", "unknown part 'krumm' (did you mean 'krum'?)"),
        ("no.such.module:Name", "must be something that can be imported"),
        ("holdfast.aggregators:Nothing", "must be something that can be imported"),
        ("krum:selected=3", "unknown option of rule 'krum' 'selected'"),
        ("holdfast.typing:Tally", "a part to check must be one of stage, attack, penalty,"),
    ],
)
def test_bad_names_are_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        make_named(text)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_any_part_can_be_checked_without_saying_what_it_is() -> None:
    for part in (Krum, "krum", L2(0.5), Softmax, "iid", "gaussian"):
        assert check(part, examples=5).holds
    assert kind_of(first) == "rule"


def test_a_problem_may_be_given_made_or_with_data_of_its_own() -> None:
    made: Any = Softmax.of(few_samples(), make_named("iid")[1], 3, 5)
    assert check_problem(made, examples=5).part == "Softmax"
    assert check_problem(Softmax, data=few_samples(), examples=5).holds


def test_without_hypothesis_one_line_says_what_to_install() -> None:
    without = "import sys; sys.modules['hypothesis'] = None\nimport holdfast.testing"
    ended = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith(
        "holdfast.testing needs hypothesis: pip install 'holdfast[testing]'; got no module named hypothesis"
    )
