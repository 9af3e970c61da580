"""The page of a single run."""

from html import escape

from holdfast.experiments.forensics import APART
from holdfast.experiments.inspection import Inspection
from holdfast.report.frame import document, drawing, table
from holdfast.report.run_charts import learning, standing_apart
from holdfast.report.settings import setting
from holdfast.report.worker_rows import HEAD, remarks, row

OWN = (
    "<em>x_i on own data</em>: accuracy of a regular worker's own model on the test samples of its classes, weighted "
    "as the worker's own samples are; <em>x0</em>: that of the master's model on the same. Workers of gradient methods "
    "hold x0 and no other model, so that both are equal."
)
STANDING = (
    "<em>disagreement</em>: the share of coordinates on which two workers' messages take different sides, median over "
    "the other workers, mean over the evaluations; <em>suspicion</em>: how far that lies above the median worker's, in "
    f"robust standard deviations, <em>suspect</em> above {APART}; a <em>copy</em> sent the same signs as another "
    "worker whenever one looked. All of it comes from the messages alone. Honest workers with unusual data can look "
    "suspect, and liars that imitate can look ordinary: docs/workers.md has the measured rates."
)


def run_page(inspection: Inspection) -> str:
    """Return the whole page."""
    spec = inspection.spec
    title = f"{spec.method} on {spec.data}, {spec.partition}, attack {spec.attack}"
    ended = f"evaluated up to round {inspection.history[-1].round if inspection.history else 0} of {spec.rounds}"
    about = f"{inspection.folder}: {spec.workers} workers, seed {spec.seed}, {ended}; "
    return document(
        title,
        [
            f'<p class="soft">{escape(about)}<code>{escape(setting(spec))}</code></p>',
            *(f'<p class="notice">{escape(note)}</p>' for note in inspection.notes),
            *_learning(inspection),
            *_workers(inspection),
            *_standing(inspection),
        ],
    )


def _learning(inspection: Inspection) -> list[str]:
    if not inspection.history:
        return []
    chart = learning(inspection.spec.method, inspection.history)
    return ["<h2>How it learnt</h2>", drawing(chart.to_dict())]


def _workers(inspection: Inspection) -> list[str]:
    said = "".join(f"<p>{escape(remark)}</p>" for remark in remarks(inspection.workers))
    rows = ([_marked(cell) for cell in row(each)] for each in inspection.workers)
    legend = f'<p class="soft">{OWN}</p><p class="soft">{STANDING}</p>'
    return ["<h2>Worker by worker</h2>", said, table(HEAD, rows), legend]


def _marked(cell: str) -> str:
    return f'<span class="does-not-hold">{cell}</span>' if cell.startswith(("liar", "suspect", "copy")) else cell


def _standing(inspection: Inspection) -> list[str]:
    if not any(each.apart for each in inspection.workers):
        return []
    return ["<h2>Who stood apart, and when</h2>", drawing(standing_apart(inspection).to_dict())]
