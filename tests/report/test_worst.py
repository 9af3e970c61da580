"""Who held in the worst case: the order, and the sentences that pages and the demo say."""

from dataclasses import replace

import pytest

from holdfast.problems import ACCURACY, LeastSquares, Softmax
from holdfast.report.comparison_page import comparison_page
from holdfast.report.comparison_tables import accuracy_table
from holdfast.report.worst_cases import conclusions, headline, list_guessers, lost_attacks, worst_cases
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.verdicts import Score, choose_score
from holdfast.studies.table import Comparison, Grouped

RMSE = Score("rmse", "root mean square error on the test data", higher=False, share=False)


class ByError(Softmax):
    """A problem whose models are judged by what shall be small."""

    score = RMSE


def grouped(results: list[Result]) -> Grouped:
    return Comparison.of(results).tables


BASE = run(Spec(data="digits", workers=4, rounds=2))


def result(
    method: str, attack: str | None, value: float | None, ceiling: float = 0.6, name: str = "accuracy"
) -> Result:
    """Return a result with this final score; without a value it diverged."""
    spec = Spec(data="digits", workers=4, rounds=2, method=method, attack=attack, byzantine=1 if attack else 0)
    spec = replace(spec, problem=ByError if name == "rmse" else "softmax")
    last = BASE.history[-1]
    if value is not None:
        last = replace(last, accuracy=value if name == "accuracy" else None, metrics={name: value})
    diverged = 1 if value is None else None
    return replace(BASE, spec=spec, asked=None, history=[last], diverged=diverged, ceiling=ceiling if attack else 1.0)


TABLE = [
    *(
        result("rsa", None, 0.90),
        result("sgd", None, 0.95),
        result("krum", None, 0.80),
        result("ideal-sgd", None, 0.99),
    ),
    *(result("rsa", "gaussian", 0.55), result("sgd", "gaussian", None), result("krum", "gaussian", 0.58)),
    *(result("rsa", "sign-flip", 0.50), result("sgd", "sign-flip", 0.1), result("krum", "sign-flip", 0.2)),
    *(result("rsa", "duplicate", 0.56), result("sgd", "duplicate", 0.56), result("krum", "duplicate", 0.3)),
]


def test_worst_cases_are_in_order() -> None:
    (by_attack,) = grouped(TABLE).values()
    cases = worst_cases(by_attack, ACCURACY)
    assert [(case.method, case.attack, case.value) for case in cases] == [
        ("ideal-sgd", "none", 0.99),
        ("rsa", "sign-flip", 0.50),
        ("krum", "sign-flip", 0.2),
        ("sgd", "gaussian", None),
    ]


def test_a_tie_is_called_a_tie() -> None:
    tied = [result("rsa", None, 0.9), result("krum", None, 0.9), result("sgd", None, 0.8)]
    assert headline(grouped(tied)) == (
        "rsa ends at 0.900 (iid, no attack). The next best, krum, is level with rsa (no attack)."
    )


def test_three_sentences_say_what_the_numbers_say() -> None:
    groups = grouped(TABLE)
    assert headline(groups) == (
        "rsa ends at 0.500 in its worst case (iid, sign-flip), where the ceiling is 0.600. "
        "The next best, krum, ends at 0.200 (sign-flip)."
    )
    assert conclusions(groups) == [
        "Without an attack rsa ends at 0.900, sgd at 0.950.",
        "rsa is the best method, or nearly, under 2 of 3 attacks. Under gaussian, rsa ends at 0.550, krum at 0.580.",
    ]


def test_what_nobody_withstands_does_not_decide_but_is_told() -> None:
    lost = [result("rsa", "negative-sum", 0.1), result("sgd", "negative-sum", 0.2), result("krum", "negative-sum", 0.1)]
    groups = grouped([*TABLE, *lost])
    assert lost_attacks(groups["iid"], ACCURACY) == ["negative-sum"]
    assert headline(groups) == headline(grouped(TABLE))
    assert conclusions(groups)[-1] == "No method withstands negative-sum."
    assert lost_attacks(grouped(lost)["iid"], ACCURACY) == [], "then there would be nothing left to say"


def test_a_single_row_that_can_be_withstood_is_no_worst_case() -> None:
    found = [result("rsa", None, 0.9), result("rsa", "sign-flip", 0.1)]
    assert headline(grouped(found)) == "rsa ends at 0.900 (iid, no attack)."


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([result("krum", None, 0.9)], "krum ends at 0.900 (iid, no attack)."),
        ([result("krum", "gaussian", None)], "No method ends with a finite score (iid, gaussian)."),
        (
            [result("krum", "gaussian", 0.5), result("sgd", "gaussian", None)],
            "krum ends at 0.500 (iid, gaussian), where the ceiling is 0.600. Every other method diverges or fails.",
        ),
    ],
)
def test_small_comparisons_have_headlines_too(results: list[Result], said: str) -> None:
    assert headline(grouped(results)) == said


def test_nobody_is_praised_where_all_failed() -> None:
    broken = [result(method, attack, None) for attack in ("gaussian", "infinite") for method in ("rsa", "sgd")]
    assert conclusions(grouped(broken)) == []


def test_less_is_better_where_the_score_says_so() -> None:
    results = [
        result(method, attack, value, name="rmse")
        for attack, values in ((None, (3.0, 2.0)), ("gaussian", (3.5, 90.0)))
        for method, value in zip(("rsa", "sgd"), values, strict=True)
    ]
    (by_attack,) = grouped(results).values()
    assert choose_score(results) is RMSE
    assert [case.method for case in worst_cases(by_attack, RMSE)] == ["rsa", "sgd"]
    assert headline(grouped(results)) == (
        "rsa ends at rmse 3.5 in its worst case (iid, gaussian). The next best, sgd, ends at 90 (gaussian)."
    )
    assert accuracy_table(by_attack).best == {(0, 2), (1, 1)}, "accuracies have a ceiling, errors have none"


def test_the_best_of_a_row_is_marked_whoever_it_belongs_to() -> None:
    (by_attack,) = grouped(TABLE).values()
    # columns begin after attack, guessing and ceiling; equal values are both marked, oracles never
    assert accuracy_table(by_attack).best == {(0, 4), (1, 5), (2, 3), (3, 3), (3, 4)}


def test_what_is_no_better_than_guessing_is_red_and_said() -> None:
    """Guessing gets 0.117 on digits: sgd under sign-flip has 0.1."""
    groups = grouped(TABLE)
    (by_attack,) = groups.values()
    table = accuracy_table(by_attack)
    assert [*table.bad] == [(2, 4)]
    assert table.rows[2][1:3] == ("0.117", "0.600")
    assert list_guessers(groups) == ["No better than guessing (accuracy 0.117), iid: sgd (sign-flip)."]
    alarmed = "".join(comparison_page("t", TABLE).html().split("</header>")[0].splitlines())
    assert '<span class="fails">No better than guessing (accuracy 0.117), iid: sgd (sign-flip).</span>' in alarmed
    assert "No better than guessing" in str(Comparison.of(TABLE))


def test_nobody_wins_by_guessing() -> None:
    guessing = [result("rsa", "gaussian", 0.116), result("sgd", "gaussian", 0.1)]
    assert headline(grouped(guessing)).startswith("No method is better than guessing (0.117): rsa ends at 0.116")
    assert accuracy_table(grouped(guessing)["iid"]).best == set()


def seeds(method: str, *values: float) -> list[Result]:
    made = [result(method, None, value) for value in values]
    return [replace(each, spec=replace(each.spec, seed=at)) for at, each in enumerate(made)]


def test_what_is_within_noise_shares_the_mark() -> None:
    """The differences of rsa and krum are 0.002, 0.012 and -0.008: 0 is within 0.002 +- 0.025; those of sgd 0.1."""
    table = [*seeds("rsa", 0.964, 0.970, 0.958), *seeds("krum", 0.962, 0.958, 0.966), *seeds("sgd", 0.86, 0.87, 0.86)]
    groups = grouped(table)
    assert accuracy_table(groups["iid"]).best == {(0, 3), (0, 4)}
    assert headline(groups).endswith("krum, ends at 0.962 (no attack): the difference is within the noise of 3 seeds.")


def test_a_score_is_what_all_measured() -> None:
    assert choose_score([BASE]) is ACCURACY
    measured = [replace(BASE.history[-1], accuracy=None, metrics={"rmse": 1.0, "r2": 0.5})]
    both = replace(BASE, spec=replace(BASE.spec, problem="least-squares"), history=measured)
    assert choose_score([both]) is LeastSquares.score
    assert choose_score([replace(both, spec=BASE.spec)]).name == "loss"
    assert choose_score([BASE, both]).name == "loss"
    assert choose_score([]).name == "loss"
