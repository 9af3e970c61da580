"""The picture of who holds what: one column per worker, one row per class."""

from collections.abc import Iterable
from typing import Any

import altair as alt
import numpy as np

from holdfast.data import Holdings, holdings
from holdfast.errors import InvalidInput
from holdfast.problems import Classifying
from holdfast.report.colours import variable
from holdfast.report.drawing import ROWS, Drawing, Panel
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_labels
from holdfast.runs.workbench import SHARED

MOST = 50
"""Workers that are drawn, and classes: of more, so many are, evenly spaced."""
ROW, HEIGHT = 13, 260
"""Pixels from one class to the next, and of all of them at most."""


def holdings_chart(specs: Iterable[Spec]) -> Drawing | None:
    """Return one panel for each data set and partition of these specs, drawn with its first seed.

    Byzantine are those of the spec with most of them. None if no classes are known.
    """
    dealt: dict[tuple[Any, str], Spec] = {}
    for spec in specs:
        known = dealt.setdefault((spec.data, spec.partition_text), spec)
        if spec.q > known.q and spec.seed == known.seed:
            dealt[spec.data, spec.partition_text] = spec
    found = [(spec, held) for spec in dealt.values() if (held := holdings_of(spec)) is not None]
    if not found:
        return None
    labels = data_labels(data for data, _ in dealt)
    told = [
        ({"data": labels[spec.data]} if len(labels) > 1 else {})
        | ({"partition": spec.partition_text} if len(found) > 1 else {})
        for spec, _ in found
    ]
    drawn = [_panel(spec, held, each) for (spec, held), each in zip(found, told, strict=True)]
    cut = any(max(held.counts.shape) > MOST for _, held in found)
    says = "Samples of each class that each worker holds: the stronger the colour, the more."
    says += f" Orange: the last {found[0][0].q} workers, which are Byzantine." if _last(found[0][0]) else ""
    says += f" Of more than {MOST} workers or classes, {MOST} are drawn." if cut else ""
    return Drawing("who-holds-what", tuple(drawn), says, columns=2)


def _last(spec: Spec) -> bool:
    """Return whether there are Byzantine workers, and they are the last ones."""
    return spec.attack is not None and isinstance(spec.byzantine, int) and spec.q > 0


def _panel(spec: Spec, held: Holdings, told: dict[str, str]) -> Panel:
    """Return the panel of a partition; `told` is what tells it from the others."""
    workers, classes = (np.unique(np.linspace(0, n - 1, min(n, MOST)).astype(int)) for n in held.counts.shape)
    byzantine = spec.byzantine_workers if spec.attack is not None else ()
    names = {int(place): str(held.classes[place]) for place in classes}
    rows: list[dict[str, Any]] = [
        {
            **told,
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
    return Panel(rows, chart.properties(title=", ".join(told.values())) if told else chart)


def holdings_of(spec: Spec) -> Holdings | None:
    """Return how many samples of each class every worker holds, classes by the names that the data have for them.

    None where there are no classes, where the problem does not tell, and where the data are no longer there.

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
