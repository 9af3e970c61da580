"""The worst case of each method, and what follows from it in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.report.settings import reachable
from holdfast.runs.records import Record
from holdfast.runs.verdicts import Score, score_of
from holdfast.studies.table import Grouped

ByAttack = Mapping[str, Mapping[str, Record]]
HARMLESS = "none"
"""The attack that is none."""
WITHSTOOD = 0.5
"""Share of what is possible that somebody must reach under an attack that can be withstood: a convention."""
NEAR = 0.01
"""Differences of a share up to which nobody is called better."""


def is_oracle(method: str) -> bool:
    """Return whether a method is one that no attack reaches: something to compare with, not a competitor."""
    return method.startswith("ideal-")


@dataclass(frozen=True)
class WorstCase:
    """Where a method did worst."""

    method: str
    attack: str
    value: float | None
    """None if it diverged."""
    possible: float | None
    """The best that anyone could reach there."""


def lost_attacks(by_attack: ByAttack, score: Score) -> list[str]:
    """Return the attacks that nobody withstood: not even half of what was possible was reached. Not if all are."""
    if score.name != "accuracy":
        return []
    lost = [
        attack
        for attack, by_method in by_attack.items()
        if max(score.goodness(value) for _, value in _reached(by_method, score))
        < WITHSTOOD * (reachable(by_method) or 1)
    ]
    return lost if len(lost) < len(by_attack) else []


def worst_cases(by_attack: ByAttack, score: Score) -> list[WorstCase]:
    """Return every method's worst case, the best of them first; of methods that are equal the first as given.

    An attack that nobody withstood tells methods apart by chance only, and is left out.
    """
    lost = lost_attacks(by_attack, score)
    by_attack = {attack: by_method for attack, by_method in by_attack.items() if attack not in lost}
    methods = dict.fromkeys(method for by_method in by_attack.values() for method in by_method)
    found = []
    for method in methods:
        cases = [
            WorstCase(method, attack, score.of(by_method[method].last), reachable(by_method))
            for attack, by_method in by_attack.items()
            if method in by_method
        ]
        found.append(min(cases, key=lambda case: score.goodness(case.value)))
    return sorted(found, key=lambda case: score.goodness(case.value), reverse=True)


def headline(groups: Grouped) -> str:
    """Return what happened in one sentence: the harshest partition, its winner and whoever comes next."""
    score = _score(groups)
    partition, ranked = min(
        ((name, competing(worst_cases(by_attack, score))) for name, by_attack in groups.items()),
        key=lambda each: score.goodness(each[1][0].value),
    )
    won, *others = ranked
    if won.value is None:
        return f"No method ends with a number ({partition}, {won.attack})."
    worst = " in its worst case" if len(groups[partition]) > 1 else ""
    possible = f" of a possible {score.text(won.possible)}" if _limits(won, score) else ""
    kept = "ends at" if won.attack == HARMLESS else "keeps"
    said = f"{won.method} {kept} {_named(score, won)}{possible}{worst} ({partition}, {_attack(won)})"
    if not others:
        return f"{said}."
    following = others[0]
    if following.value is None:
        return f"{said}; every other one diverges or fails."
    if score.text(following.value) == score.text(won.value):
        return f"{said}; {following.method} is level with it ({_attack(following)})."
    return f"{said}; the next best, {following.method}, ends at {score.text(following.value)} ({_attack(following)})."


def conclusions(groups: Grouped) -> list[str]:
    """Return what else the numbers say: the cost of being robust, and who is best how often."""
    score = _score(groups)
    hardest = min(
        groups.values(), key=lambda by_attack: score.goodness(competing(worst_cases(by_attack, score))[0].value)
    )
    best = competing(worst_cases(hardest, score))[0]
    if best.value is None:
        return []
    return [text for text in (_price(hardest, best.method, score), _wins(hardest, best.method, score)) if text]


def _price(by_attack: ByAttack, won: str, score: Score) -> str:
    """Return what the winner gives up where nobody attacks."""
    quiet = {method: score.of(result.last) for method, result in by_attack.get(HARMLESS, {}).items()}
    known = {method: value for method, value in quiet.items() if value is not None and not is_oracle(method)}
    if won not in known or len(known) < 2:
        return ""
    best = max(known, key=lambda method: score.goodness(known[method]))
    lost = score.goodness(known[best]) - score.goodness(known[won])
    if lost <= NEAR * (1 if score.share else abs(known[best])):
        reached, most = _named(score, known[won]), score.text(known[best])
        others = "and nobody does better" if most == score.text(known[won]) else f"the best at {most}"
        return f"Without an attack it costs nothing: {won} ends at {reached}, {others}."
    return (
        f"Without an attack {won} gives up {score.text(lost)}: it ends at {score.text(known[won])}, "
        f"{best} at {score.text(known[best])}."
    )


def _wins(by_attack: ByAttack, won: str, score: Score) -> str:
    """Return under how many attacks the winner is best, or nearly so, where it is not, and what beats everybody."""
    lost = lost_attacks(by_attack, score)
    attacks = [attack for attack in by_attack if attack not in (HARMLESS, *lost) and won in by_attack[attack]]
    beaten = []
    for attack in attacks:
        reached = dict(_reached(by_attack[attack], score))
        best = max(reached, key=lambda method: score.goodness(reached[method]))
        mine, its = score.goodness(reached[won]), score.goodness(reached[best])
        if reached[won] is None or its - mine > NEAR * (1 if score.share else abs(its)):
            beaten.append(f"{attack} ({best} {score.text(reached[best])}, {won} {score.text(reached[won])})")
    defeated = [f"Nobody withstands {' or '.join(lost)}."] if lost else []
    if len(attacks) < 2:
        return " ".join(defeated)
    said = f"{won} is the best, or within {NEAR:g} of it, under {len(attacks) - len(beaten)} of {len(attacks)} attacks"
    return " ".join([f"{said}; not under {', '.join(beaten)}." if beaten else f"{said}.", *defeated])


def _reached(by_method: Mapping[str, Record], score: Score) -> list[tuple[str, float | None]]:
    """Return what each competitor reached; of oracles alone, what they did."""
    every = [(method, score.of(result.last)) for method, result in by_method.items()]
    return [each for each in every if not is_oracle(each[0])] or every


def _score(groups: Grouped) -> Score:
    return score_of(
        [r for by_attack in groups.values() for by_method in by_attack.values() for r in by_method.values()]
    )


def competing(cases: Sequence[WorstCase]) -> list[WorstCase]:
    """Return the cases without oracles, unless there are only oracles."""
    return [case for case in cases if not is_oracle(case.method)] or list(cases)


def _limits(case: WorstCase, score: Score) -> bool:
    return score.name == "accuracy" and case.possible is not None and case.possible < 1


def _named(score: Score, case: WorstCase | float) -> str:
    value = case.value if isinstance(case, WorstCase) else case
    return score.text(value) if score.name == "accuracy" else f"{score.called} {score.text(value)}"


def _attack(case: WorstCase) -> str:
    return "no attack" if case.attack == HARMLESS else case.attack
