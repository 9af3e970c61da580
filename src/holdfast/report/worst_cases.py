"""The worst case of each method over the attacks, and sentences about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.runs.verdicts import Score, choose_score
from holdfast.studies.table import Cell, Grouped

ByAttack = Mapping[str, Mapping[str, Cell]]
HARMLESS = "none"
"""The name of no attack."""
WITHSTOOD = 0.5
"""Share of the ceiling that some method must reach under an attack that can be withstood: a convention."""
NEAR = 0.01
"""Up to this difference of shares two methods count as equal."""


def is_oracle(method: str) -> bool:
    """Return whether no attack reaches a method: a yardstick, not a competitor."""
    return method.startswith("ideal-")


def ceiling_of(by_method: Mapping[str, Cell]) -> float | None:
    """Return the lowest ceiling of some results under one attack, if any is known."""
    return min((cell.ceiling for cell in by_method.values() if cell.ceiling is not None), default=None)


def guessing_of(by_method: Mapping[str, Cell]) -> float | None:
    """Return what guessing gets in some results under one attack, if it is known."""
    return min((cell.guessing for cell in by_method.values() if cell.guessing is not None), default=None)


def cells_of(by_attack: ByAttack) -> list[Cell]:
    """Return all cells of a table."""
    return [cell for by_method in by_attack.values() for cell in by_method.values()]


@dataclass(frozen=True)
class WorstCase:
    """The attack under which a method ended lowest."""

    method: str
    attack: str
    value: float | None
    """None if the method diverged."""
    ceiling: float | None
    cell: Cell

    @property
    def where(self) -> str:
        """The attack in words."""
        return "no attack" if self.attack == HARMLESS else self.attack


def lost_attacks(by_attack: ByAttack, score: Score) -> list[str]:
    """Return the attacks under which no method reached half of the ceiling, unless these are all attacks."""
    if score.name != "accuracy":
        return []
    lost = [
        attack
        for attack, by_method in by_attack.items()
        if max(map(score.goodness, _competitors(by_method, score).values())) < WITHSTOOD * (ceiling_of(by_method) or 1)
    ]
    return lost if len(lost) < len(by_attack) else []


def worst_cases(by_attack: ByAttack, score: Score) -> list[WorstCase]:
    """Return every method's worst case, the best of them first; equal methods in their order.

    Attacks that no method withstood are left out: under them methods differ by chance only.
    """
    lost = lost_attacks(by_attack, score)
    cases: dict[str, list[WorstCase]] = {}
    for attack, by_method in by_attack.items():
        for method, cell in by_method.items() if attack not in lost else ():
            case = WorstCase(method, attack, score.of(cell.last), ceiling_of(by_method), cell)
            cases.setdefault(method, []).append(case)
    worst = [min(each, key=lambda case: score.goodness(case.value)) for each in cases.values()]
    return sorted(worst, key=lambda case: score.goodness(case.value), reverse=True)


def headline(groups: Grouped) -> str:
    """Return the winner of the hardest partition, and the next best."""
    score, partition, (won, *others) = _hardest(groups)
    if won.value is None:
        return f"No method ends with a finite score ({partition}, {won.attack})."
    several = len(groups[partition]) - len(lost_attacks(groups[partition], score)) > 1
    worst = " in its worst case" if several else ""
    limited = score.name == "accuracy" and won.ceiling is not None and won.ceiling < 1
    ceiling = f", where the ceiling is {score.text(won.ceiling)}" if limited else ""
    if won.cell.guesses:
        ending = f"{won.method} ends at {_value(score, won.value)}{worst} ({partition}, {won.where}){ceiling}"
        return f"No method is better than guessing ({score.text(won.cell.guessing)}): {ending}."
    first = f"{won.method} ends at {_value(score, won.value)}{worst} ({partition}, {won.where}){ceiling}."
    return " ".join([first, *(_next_best(score, won, following) for following in others[:1])])


def _next_best(score: Score, won: WorstCase, following: WorstCase) -> str:
    if following.value is None:
        return "Every other method diverges or fails."
    if score.text(following.value) == score.text(won.value):
        return f"The next best, {following.method}, is level with {won.method} ({following.where})."
    ending = f"The next best, {following.method}, ends at {score.text(following.value)} ({following.where})"
    if won.cell.is_level(following.cell, score):
        return f"{ending}: the difference is within the noise of {len(won.cell.runs)} seeds."
    return f"{ending}."


def list_guessers(groups: Grouped) -> list[str]:
    """Return for each partition the methods that end no better than guessing, and under which attacks."""
    lines = []
    for partition, by_attack in groups.items():
        attacks: dict[str, list[str]] = {}
        levels: list[float] = []
        for attack, by_method in by_attack.items():
            for method, cell in by_method.items():
                if cell.guesses and cell.guessing is not None:
                    attacks.setdefault(method, []).append("no attack" if attack == HARMLESS else attack)
                    levels.append(cell.guessing)
        if attacks:
            score = choose_score(cells_of(by_attack))
            level = f"{score.called} {score.text(max(levels))}"
            some = "; ".join(f"{method} ({', '.join(names)})" for method, names in attacks.items())
            lines.append(f"No better than guessing ({level}), {partition}: {some}.")
    return lines


def conclusions(groups: Grouped) -> list[str]:
    """Return further sentences: the cost of robustness without an attack, and the attacks under which others win."""
    score, partition, (won, *_) = _hardest(groups)
    if won.value is None:
        return []
    by_attack = groups[partition]
    sentences = [_price(by_attack, won.method, score), *_wins(by_attack, won.method, score)]
    lost = lost_attacks(by_attack, score)
    return [*filter(None, sentences), *([f"No method withstands {' or '.join(lost)}."] if lost else [])]


def _price(by_attack: ByAttack, won: str, score: Score) -> str:
    """Return what the winner gives up without an attack."""
    quiet = {method: score.of(cell.last) for method, cell in by_attack.get(HARMLESS, {}).items()}
    known = {method: value for method, value in quiet.items() if value is not None and not is_oracle(method)}
    if won not in known or len(known) < 2:
        return ""
    best = max(known, key=lambda method: score.goodness(known[method]))
    reached, most = score.text(known[won]), score.text(known[best])
    if score.goodness(known[best]) - score.goodness(known[won]) > NEAR * (1 if score.share else abs(known[best])):
        return f"Without an attack {won} ends at {reached}, {best} at {most}."
    others = "and no method does better" if most == reached else f"the best at {most}"
    return f"Without an attack robustness costs nothing: {won} ends at {_value(score, known[won])}, {others}."


def _wins(by_attack: ByAttack, won: str, score: Score) -> list[str]:
    """Return under how many attacks the winner is best, or nearly, and which method wins under the others."""
    lost = lost_attacks(by_attack, score)
    attacks = [attack for attack in by_attack if attack not in (HARMLESS, *lost) and won in by_attack[attack]]
    if len(attacks) < 2:
        return []
    beaten = []
    for attack in attacks:
        reached = _competitors(by_attack[attack], score)
        best = max(reached, key=lambda method: score.goodness(reached[method]))
        mine, most = score.goodness(reached[won]), score.goodness(reached[best])
        if reached[won] is None or most - mine > NEAR * (1 if score.share else abs(most)):
            value = "diverges" if reached[won] is None else f"ends at {score.text(reached[won])}"
            beaten.append(f"Under {attack}, {won} {value}, {best} at {score.text(reached[best])}.")
    count = f"{len(attacks) - len(beaten)} of {len(attacks)} attacks"
    return [" ".join([f"{won} is the best method, or nearly, under {count}.", *beaten])]


def _competitors(by_method: Mapping[str, Cell], score: Score) -> dict[str, float | None]:
    """Return what each competitor reached; oracles count only where there are no others."""
    every = {method: score.of(cell.last) for method, cell in by_method.items()}
    return {method: value for method, value in every.items() if not is_oracle(method)} or every


def _hardest(groups: Grouped) -> tuple[Score, str, Sequence[WorstCase]]:
    """Return the score, the partition whose winner ended lowest, and the worst cases of its competitors."""
    score = choose_score([cell for by_attack in groups.values() for cell in cells_of(by_attack)])
    ranked = {partition: worst_cases(by_attack, score) for partition, by_attack in groups.items()}
    competing = {
        partition: [case for case in cases if not is_oracle(case.method)] or cases
        for partition, cases in ranked.items()
    }
    partition, cases = min(competing.items(), key=lambda each: score.goodness(each[1][0].value))
    return score, partition, cases


def _value(score: Score, value: float) -> str:
    return score.text(value) if score.name == "accuracy" else f"{score.called} {score.text(value)}"
