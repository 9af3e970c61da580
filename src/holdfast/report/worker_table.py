"""The workers of a run: a table, and sentences about them."""

from collections.abc import Sequence

from holdfast.insight.inspection import Individual
from holdfast.report.text_table import TextTable, share_text
from holdfast.runs.cautions import SHOWN, join_names
from holdfast.watching.opinion import Treatment, share_left_out

HEAD = ("worker", "truly", "own model", "master model", "disagreement", "suspicion", "rank", "looks")
KINDS = {"worker": "number", "truly": "words", "looks": "words"}
UNKNOWN, ORDINARY = "-", "ordinary"


def worker_table(workers: Sequence[Individual]) -> TextTable:
    """Return one row per worker, with the columns in which anything is known; suspects and copies are marked."""
    rows = [row(each) for each in workers]
    looks = HEAD.index("looks")
    marked = [(number, looks) for number, cells in enumerate(rows) if cells[looks] not in (UNKNOWN, ORDINARY)]
    whole = TextTable(HEAD, rows, marked, [KINDS.get(name) for name in HEAD])
    return whole.select([at for at in range(len(HEAD)) if any(cells[at] != UNKNOWN for cells in rows)])


def row(each: Individual) -> tuple[str, ...]:
    """Return the cells of a worker, in the order of HEAD."""
    models = (share_text(each.own), share_text(each.master))
    about = (str(each.worker), role(each), *models)
    if (found := each.suspicion) is None:
        return (*about, *[UNKNOWN] * 4)
    return (*about, share_text(found.disagreement), f"{round(found.score, 1) + 0.0:.1f}", str(found.rank), look(each))


def role(each: Individual) -> str:
    """Return whether a worker is Byzantine, which only a simulation knows."""
    return "Byzantine" if each.byzantine else "honest"


def look(each: Individual) -> str:
    """Return what a worker's messages look like."""
    if (found := each.suspicion) is None:
        return UNKNOWN
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
    recorded = [(str(each.worker), each.suspicion) for each in workers if each.suspicion]
    if not recorded:
        return None
    suspects = join_names(worker for worker, found in recorded if found.suspected) or "none"
    copies = join_names(worker for worker, found in recorded if found.copied)
    copied = f"Copies of each other, one of them perhaps honest: {copies}." if copies else "No worker sends copies."
    return f"Suspect by their messages: {suspects}. {copied}"


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
