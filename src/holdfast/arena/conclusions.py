"""What to conclude from an arena, in sentences drawn from its numbers."""

from holdfast.arena.leaderboard import Leaderboard, Standing
from holdfast.arena.plan import Condition
from holdfast.attacks import ATTACKS
from holdfast.methods import Method, method_labels

NEAR = 0.02
"""Methods whose worst cases differ by less are named together."""
BROKEN = 0.5
"""A method whose worst case keeps less than this share of the ceiling is called broken."""
NOBODY = "No method could be played in every condition."


def headline(board: Leaderboard) -> str:
    """Return who keeps most in the worst case, over all conditions."""
    leaders = _leaders(board, " of what can be reached")
    return f"In the worst case over all attacks {leaders}." if leaders else NOBODY


def conclusions(board: Leaderboard) -> list[str]:
    """Return what else to conclude: who holds and what breaks the others, and who leads in each of several tasks."""
    tasks = board.by_task.items() if len(board.by_task) > 1 else ()
    told = [f"{task.text}: {f'{leaders}.' if (leaders := _leaders(each)) else NOBODY}" for task, each in tasks]
    return [breaking(board), *told]


def _leaders(board: Leaderboard, share_of: str = "") -> str:
    """Return who keeps most, and what the next best does; nothing if no method could be played everywhere."""
    names = method_labels(board.ranked)
    scores = {method: score for method in board.ranked if (score := board.overall(method)) is not None}
    if not scores:
        return ""
    top = max(scores.values())
    first = [names[method] for method, score in scores.items() if score >= top - NEAR]
    keep = "keeps" if len(first) == 1 else "keep"
    rest = [score for score in scores.values() if score < top - NEAR]
    next_best = f"; the next best keeps {max(rest):.0%}" if rest else ""
    return f"{_listed(first)} {keep} {top:.0%}{share_of}{next_best}"


def breaking(board: Leaderboard) -> str:
    """Return which methods hold everywhere, and which attack breaks most of the others."""
    attacked = [condition for condition in board.conditions if condition.byzantine]
    names = method_labels(board.ranked)
    holding = [names[method] for method in board.ranked if all(_holds(board, method, each) for each in attacked)]
    broken: dict[str, list[Method]] = {}
    for cell in (cell for standing in board.standings if standing.condition.byzantine for cell in standing.cells):
        if not cell.failure and cell.share < BROKEN:
            attack, method = cell.bout.attack, cell.bout.method
            broken.setdefault("none" if attack is None else ATTACKS.text(attack), []).append(method)
    kept = f"{BROKEN:.0%} of what can be reached in every condition"
    first = f"{_listed(holding)} {'keeps' if len(holding) == 1 else 'keep'}" if holding else "No method keeps"
    if not broken:
        return f"{first} at least {kept}."
    worst = max(broken, key=lambda attack: (len(set(broken[attack])), len(broken[attack])))
    count = f"{len(set(broken[worst]))} of {len(names)}"
    return f"{first} at least {kept}; the attack that breaks most methods is {worst} ({count})."


def _holds(board: Leaderboard, method: Method, condition: Condition) -> bool:
    return _held(board.standing(method, condition))


def _held(standing: Standing) -> bool:
    return standing.share is not None and standing.share >= BROKEN


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
