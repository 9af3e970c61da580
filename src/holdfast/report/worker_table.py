"""The workers of a run: a table, and sentences about them."""

from collections.abc import Sequence

from holdfast.insight.inspection import Individual, Suspicion
from holdfast.report.text_table import TextTable, share_text
from holdfast.runs.cautions import SHOWN, join_names
from holdfast.watching.opinion import Treatment, share_left_out
from holdfast.watching.suspicion import SUSPICION_THRESHOLD

HEAD = ("worker", "truly", "own model", "master model", "disagreement", "suspicion", "rank", "looks")
KINDS = {"worker": "number", "truly": "words", "looks": "words"}
UNKNOWN, ORDINARY, UNJUDGED = "-", "ordinary", "not judged"


def worker_table(workers: Sequence[Individual]) -> TextTable:
    """Return one row per worker, with the columns in which anything is known; suspects and copies are marked."""
    rows = [row(each) for each in workers]
    looks = HEAD.index("looks")
    marked = [(number, looks) for number, cells in enumerate(rows) if cells[looks] not in (UNKNOWN, ORDINARY, UNJUDGED)]
    whole = TextTable(HEAD, rows, marked, [KINDS.get(name) for name in HEAD])
    return whole.select([at for at in range(len(HEAD)) if any(cells[at] != UNKNOWN for cells in rows)])


def row(each: Individual) -> tuple[str, ...]:
    """Return the cells of a worker, in the order of HEAD."""
    models = (share_text(each.own), share_text(each.master))
    about = (str(each.worker), role(each), *models)
    if (found := each.suspicion) is None:
        return (*about, *[UNKNOWN] * 4)
    return (*about, share_text(found.disagreement), score_text(found.score), str(found.rank), look(each))


def score_text(score: float) -> str:
    """Return a suspicion score with as many decimals as show on which side of the threshold it lies.

    >>> score_text(3.52), score_text(3.49), score_text(-0.04), score_text(29.0)
    ('3.52', '3.49', '0.0', '29.0')
    """
    decimals = next((n for n in (1, 2, 3, 4) if round(score, n) != SUSPICION_THRESHOLD), 1)
    return f"{round(score, decimals) + 0.0:.{decimals}f}"


def role(each: Individual) -> str:
    """Return whether a worker is Byzantine, which only a simulation knows."""
    return "Byzantine" if each.byzantine else "honest"


def look(each: Individual) -> str:
    """Return what a worker's messages look like."""
    if (found := each.suspicion) is None:
        return UNKNOWN
    if not found.judged:
        return UNJUDGED
    words = [word for word, so in (("suspect", found.suspected), ("copy", found.copied)) if so]
    return ", ".join(words) or ORDINARY


def remarks(workers: Sequence[Individual]) -> list[str]:
    """Return sentences about the workers: their own models, suspects, and workers that the master left out."""
    return [line for line in (_models(workers), _suspects(workers), *_left_out(workers)) if line]


def _models(workers: Sequence[Individual]) -> str | None:
    both = [(each.own, each.master) for each in workers if each.own is not None and each.master is not None]
    if not both:
        return None
    own, master = (sum(values) / len(both) for values in zip(*both, strict=True))
    if all(mine == yours for mine, yours in both):
        return f"On the honest workers' own data the master's model, which all of them hold, reaches {own:.4f}."
    return f"On the honest workers' own data their own models reach {own:.4f}, the master's {master:.4f}."


def _suspects(workers: Sequence[Individual]) -> str | None:
    if not (judged := _pair_with_suspicions(workers)):
        return None
    suspects = join_names(each.worker for each, found in judged if found.suspected) or "none"
    copies = [each.worker for each, found in judged if found.copied]
    copied = f"Copies of each other, one of them perhaps honest: {join_names(copies)}."
    if not copies:
        copied = "No worker sends copies."
    elif _most(copies, judged):
        copied = f"{len(copies)} of {len(judged)} workers send equal messages, which tells nothing about them."
    return f"Suspect by their messages: {suspects}. {copied}"


def count_suspects(workers: Sequence[Individual]) -> str | None:
    """Return how many Byzantine and how many honest workers look suspect, and send copies; None if none was judged."""
    judged, counts = _pair_with_suspicions(workers), []
    for byzantine, name in ((True, "Byzantine"), (False, "honest")):
        suspicions = [found for each, found in judged if each.byzantine == byzantine]
        if suspicions:
            counts.append(f"{sum(found.suspected for found in suspicions)} of {len(suspicions)} {name} workers")
    copies = [each for each, found in judged if found.copied]
    copied = f" {len(copies)} workers send copies." if copies and not _most(copies, judged) else ""
    return f"By their messages alone, {' and '.join(counts)} look suspect.{copied}" if counts else None


def _pair_with_suspicions(workers: Sequence[Individual]) -> list[tuple[Individual, Suspicion]]:
    return [(each, found) for each in workers if (found := each.suspicion) is not None and found.judged]


def _most(copies: Sequence[object], judged: Sequence[object]) -> bool:
    """Return whether most of at least 3 workers send equal messages: these are no copies, as in `disagreement`."""
    return 2 * len(copies) > len(judged) > 2


def _left_out(workers: Sequence[Individual]) -> list[str]:
    """Return which workers the master left out, how often and why."""
    if all(each.watched is None for each in workers):
        return []
    lines = []
    for byzantine in (False, True):
        found = [each.watched for each in workers if each.watched and each.byzantine == byzantine]
        if (share := share_left_out(found)) is not None:
            some = sum(each.left_out > 0 for each in found)
            name = "Byzantine" if byzantine else "honest"
            lines.append(f"The master left out {some} of {len(found)} {name} workers ({share:.2%} of their messages).")
    reasons: dict[str, list[int]] = {}  # workers with the same reason share a line
    for each in workers:
        if each.watched and each.watched.left_out:
            reasons.setdefault(_reason(each.watched), []).append(each.worker)
    lines += [
        f"Worker{'s' if len(some) > 1 else ''} {join_names(some)}: {reason}."
        for reason, some in [*reasons.items()][:SHOWN]
    ]
    more = sum(map(len, [*reasons.values()][SHOWN:]))
    return [*lines, *([f"And {more} more."] if more else [])]


def _reason(done: Treatment) -> str:
    return (
        f"left out in {done.left_out} of {done.rounds} rounds, first in round {done.first}. The messages then differed "
        f"in {done.first_difference:.3f} of the coordinates from the other workers (limit {done.first_limit:.3f})"
    )
