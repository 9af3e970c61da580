"""What follows from the numbers, in sentences; each says where nothing is promised."""

from typing import NamedTuple

from holdfast.insight.heterogeneity import Heterogeneity
from holdfast.insight.norm_choice import Norm
from holdfast.theory import Guarantees

CHANCE, HALF = 2.0, 0.5
"""Workers are alike if their excess is below the first, and very different if `at_start` is not below the second: the
thresholds are conventions."""


class Answer(NamedTuple):
    """Yes or no, and why."""

    holds: bool
    why: str


def degree(found: Heterogeneity) -> str:
    """Return how different workers are, in a word or two."""
    if found.spread == 0 or (found.excess is not None and found.excess < CHANCE):
        return "alike"
    return "somewhat different" if found.at_start < HALF else "very different"


def describe_workers(found: Heterogeneity) -> str:
    """Return how much workers differ, with the numbers that say so."""
    excess = "" if found.excess is None else f", {found.excess:.3g} times what chance explains"
    relative = "" if found.relative is None else f" ({found.relative:.3g} of the common squared gradient at the start)"
    return (
        f"workers are {degree(found)}: at the start {found.at_start:.0%} of their squared gradients cancel{excess}; at "
        f"the optimum their gradients still differ by zeta^2 = {found.zeta2:.3g}{relative}"
    )


def why_penalty(norm: Norm) -> str:
    """Return the reason for lambda, and whether Theorem 1 applies to it."""
    reason = (
        "the largest at which Byzantine workers that stay at the start cost at most a third of what can be learned (a "
        "quarter beyond l1, where gradients are bounded)"
    )
    count = len(norm.asked)
    if norm.penalty >= norm.lambda0:
        return f"{reason}; at least lambda_0 = {norm.lambda0:.3g}, so honest workers agree at the optimum (Theorem 1)"
    return (
        f"{reason}; below lambda_0 = {norm.lambda0:.3g}, so no guarantee that honest workers agree (Theorem 1): "
        f"{norm.agreeing} of {count} ask for no more"
    )


def why_rate(schedule: str, rounds: int) -> str:
    return f"the last of {rounds} rounds then has the longest step that is sure to be stable ({schedule})"


def minority(byzantine: int, workers: int) -> Answer:
    """Return whether fewer than half are Byzantine; otherwise nothing can be promised."""
    if 2 * byzantine < workers:
        return Answer(True, f"q = {byzantine} is fewer than half of m = {workers}")
    return Answer(
        False,
        f"no guarantee: q = {byzantine} is not fewer than half of m = {workers}, and no method can tell which half is "
        "honest; the Byzantine workers decide the medians behind lambda and alpha, too",
    )


def limit(found: Heterogeneity, byzantine: int, workers: int) -> str:
    """Return what it costs any method that workers differ (Karimireddy et al., 2022).

    Their bound is for the worst losses with that dissimilarity everywhere; ours is measured at the optimum.
    """
    if byzantine == 0:
        return "no worker is Byzantine, so differences between workers cost only time"
    share = byzantine / workers
    return (
        f"a Byzantine worker can look like an honest one that differs; so with q/m = {share:.3g} no method can "
        "promise a squared gradient of the common loss below the order of "
        f"(q/m) zeta^2 = {share * found.zeta2:.3g} on all losses that differ this much (Karimireddy et al., 2022; "
        "zeta^2 is measured at the optimum)"
    )


def averaging(found: Heterogeneity, byzantine: int) -> Answer:
    """Return whether the plain mean of the gradients is likely to do better than a robust rule."""
    if byzantine == 0:
        return Answer(
            True,
            "likely better: no worker is Byzantine, the mean of the gradients has no bias, and every robust rule gives "
            "up some accuracy for a safety that is not needed; the more workers differ, the more it gives up",
        )
    harmless = (
        "; workers are alike, so a robust rule loses little"
        if degree(found) == "alike"
        else "; it would win only if the q workers did no harm, by using every worker's data"
    )
    return Answer(False, f"likely worse: a single Byzantine worker can move a mean anywhere{harmless}")


def no_gap(guarantees: Guarantees) -> str:
    """Return why Theorem 2 has no gap here."""
    return f"no guarantee: Theorem 2 needs mu_i > 0 for every worker and the master; here {guarantees.curvature.flat}"
