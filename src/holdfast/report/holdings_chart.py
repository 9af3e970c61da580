"""The chart of holdings: samples of each class per worker."""

from collections.abc import Iterable

import altair as alt
import numpy as np

from holdfast.data import Holdings, holdings
from holdfast.errors import InvalidInput
from holdfast.problems import Classifying
from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel, Row
from holdfast.report.page import Block, Heading
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_labels
from holdfast.runs.workbench import SHARED

MOST = 50
"""Workers and classes that are drawn at most, evenly spaced."""
ROW, HEIGHT = 13, 260
"""Pixels per class, and of all classes at most."""


def holdings_blocks(specs: Iterable[Spec]) -> list[Block]:
    """Return the section of a page about holdings; nothing if no classes are known."""
    chart = holdings_chart(specs)
    return [] if chart is None else [Heading("Who holds what"), chart]


def holdings_chart(specs: Iterable[Spec]) -> Drawing | None:
    """Return one panel per data set and partition of these specs, drawn with its first seed.

    It shows the Byzantine workers of the spec with most of them. None if no classes are known.
    """
    dealt: dict[tuple[object, str], Spec] = {}
    for spec in specs:
        known = dealt.setdefault((spec.data, spec.partition_text), spec)
        if spec.q > known.q and spec.seed == known.seed:
            dealt[spec.data, spec.partition_text] = spec
    drawn = [(spec, held) for spec in dealt.values() if (held := holdings_of(spec)) is not None]
    if not drawn:
        return None
    labels = data_labels(data for data, _ in dealt)
    panels = []
    for spec, held in drawn:
        data = {"data": labels[spec.data]} if len(labels) > 1 else {}
        panels.append(_panel(spec, held, data | ({"partition": spec.partition_text} if len(drawn) > 1 else {})))
    first, last = drawn[0][0], range(drawn[0][0].workers - drawn[0][0].q + 1, drawn[0][0].workers + 1)
    says = "Samples of each class that each worker holds. A stronger colour means more."
    if first.attack is not None and first.q and tuple(first.byzantine_workers) == tuple(last):
        says += f" Orange: the last {first.q} workers, which are Byzantine."
    if any(max(held.counts.shape) > MOST for _, held in drawn):
        says += f" Of more than {MOST} workers or classes, {MOST} are drawn."
    return Drawing("who-holds-what", tuple(panels), says, columns=2, kind="held")


def _panel(spec: Spec, held: Holdings, labels: dict[str, str]) -> Panel:
    """Return the panel of a partition; `labels` tell it from the others."""
    workers, classes = (np.unique(np.linspace(0, n - 1, min(n, MOST)).astype(int)) for n in held.counts.shape)
    byzantine = spec.byzantine_workers if spec.attack is not None else ()
    names = {int(place): str(held.classes[place]) for place in classes}
    rows: list[Row] = [
        {
            **labels,
            **{"worker": int(worker) + 1, "class": names[int(place)], "samples": int(held.counts[worker, place])},
            "role": "Byzantine" if worker + 1 in byzantine else "honest",
        }
        for worker in workers
        for place in classes
    ]
    shades = alt.Scale(domain=[0, int(held.counts.max())], range=[0, 1])
    colours = alt.Scale(domain=["honest", "Byzantine"], range=[variable("blue"), variable("orange")])
    cells = (
        alt.Chart(alt.NamedData(ROWS))
        .mark_rect()
        .encode(
            x=alt.X(
                "worker:O",
                title="worker",
                axis=alt.Axis(labelAngle=0, labelOverlap=True, labelSeparation=4, ticks=False, domain=False),
                scale=alt.Scale(paddingInner=0.12),
            ),
            y=alt.Y(
                "class:N",
                title="class",
                sort=list(names.values()),
                axis=alt.Axis(labelOverlap=True, ticks=False, domain=False, labelLimit=90),
                scale=alt.Scale(paddingInner=0.12),
            ),
            opacity=alt.Opacity("samples:Q", scale=shades, legend=None),
            color=alt.Color("role:N", scale=colours, legend=None),
            tooltip=["worker:O", "class:N", "samples:Q", "role:N"],
        )
    )
    chart = alt.LayerChart(layer=[cells], height=min(ROW * len(classes), HEIGHT))
    return Panel(rows, chart.properties(title=", ".join(labels.values())) if labels else chart)


def holdings_of(spec: Spec) -> Holdings | None:
    """Return how many samples of each class every worker holds, with the data's names of classes.

    None if the problem has no classes, or the data are gone.

    >>> holdings_of(Spec(data="digits", partition="by-label", workers=10)).counts[0]
    array([150,   0,   0,   0,   0,   0,   0,   0,   0,   0])
    """
    try:
        built = SHARED.build(fill_defaults(spec))
    except (InvalidInput, OSError):
        return None
    if not isinstance(built.problem, Classifying) or not built.problem.classifies:
        return None
    found = holdings(built.problem)
    labels = None if built.dataset is None else built.dataset.number_classes().labels
    return found if labels is None else found._replace(classes=np.array(labels)[found.classes])
