"""The workers of a run as a table, for pages and terminals alike."""

from collections.abc import Sequence

from holdfast.insight.inspection import Individual
from holdfast.report.tables import share
from holdfast.runs.cautions import SHOWN, join_names
from holdfast.watching.opinion import Treatment, share_left_out

HEAD = ("worker", "truly", "own model", "master model", "disagreement", "suspicion", "rank", "looks")


def row(each: Individual) -> tuple[str, ...]:
    """Return the cells of a worker, in the order of HEAD."""
    models = (share(each.own), share(each.master))
    about = (str(each.worker), role(each), *models)
    if (found := each.suspicion) is None:
        return (*about, "-", "-", "-", "-")
    return (*about, share(found.disagreement), f"{round(found.score, 1) + 0.0:.1f}", str(found.rank), look(each))


def known_columns(workers: Sequence[Individual]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return head and rows of the columns in which anything is known of anybody."""
    rows = [row(each) for each in workers]
    known = [at for at in range(len(HEAD)) if any(cells[at] != "-" for cells in rows)]
    return [HEAD[at] for at in known], [tuple(cells[at] for at in known) for cells in rows]


def role(each: Individual) -> str:
    """Return what a worker is, which a simulation knows and no master does."""
    return "Byzantine" if each.byzantine else "honest"


def look(each: Individual) -> str:
    """Return what the messages of a worker make it look like."""
    if (found := each.suspicion) is None:
        return "-"
    words = [word for word, so in (("suspect", found.suspected), ("copy", found.copied)) if so]
    return ", ".join(words) or "ordinary"


def remarks(workers: Sequence[Individual]) -> list[str]:
    """Return what there is to say of all workers, one line each: their own models, and who looks suspect."""
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
    suspects = join_names(worker for worker, found in recorded if found.suspected) or "nobody"
    copies = join_names(worker for worker, found in recorded if found.copied)
    copied = f"Copies of each other, one of them perhaps honest: {copies}." if copies else "Nobody sends copies."
    return f"Suspect by their messages: {suspects}. {copied}"


def _left_out(workers: Sequence[Individual]) -> list[str]:
    """Return whom a master that judges left out, how often, when first, and why."""
    if all(each.watched is None for each in workers):
        return []
    lines = []
    for byzantine in (False, True):
        found = [each.watched for each in workers if each.watched and each.byzantine == byzantine]
        if (share := share_left_out(found)) is not None:
            some = sum(each.left_out > 0 for each in found)
            name = "Byzantine" if byzantine else "honest"
            lines.append(f"{some} of {len(found)} {name} workers ({share:.2%} of their messages)")
    reasons: dict[str, list[int]] = {}  # workers that send the same are told together
    for each in workers:
        if each.watched and each.watched.left_out:
            reasons.setdefault(_reason(each.watched), []).append(each.worker)
    told = [
        f"Worker{'s' if len(some) > 1 else ''} {join_names(some)}: {reason}."
        for reason, some in [*reasons.items()][:SHOWN]
    ]
    more = sum(map(len, [*reasons.values()][SHOWN:]))
    return [f"The master left out {' and '.join(lines)}.", *told, *([f"And {more} more."] if more else [])]


def _reason(done: Treatment) -> str:
    return (
        f"left out in {done.left_out} of {done.rounds} rounds, first in round {done.first}, at a difference of "
        f"{done.first_difference:.3f} of the coordinates from those who stayed (limit {done.first_limit:.3f})"
    )
