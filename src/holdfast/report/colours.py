"""How the lines of a chart are told apart: a colour and a dash for each name."""

from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import NamedTuple

import altair as alt

RSA, GREY, ALARM = "#D55E00", "#7f7f7f", "#c8102e"
PALETTE = ("#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442")
"""Okabe and Ito's colours for the colour-blind, without RSA's vermillion, and without black: pages may be dark."""
SOLID, *DASHED = (1, 0), (5, 3), (8, 3, 2, 3), (2, 2)


class Stroke(NamedTuple):
    """What a line looks like."""

    colour: str
    dash: tuple[int, ...]


def strokes(names: Iterable[str]) -> dict[str, Stroke]:
    """Return a stroke for each name, by order of first appearance; RSA is vermillion, oracles are grey and dashed.

    >>> strokes(["krum", "rsa", "ideal-sgd", "krum"])
    {'krum': Stroke(colour='#0072B2', dash=(1, 0)),
     'rsa': Stroke(colour='#D55E00', dash=(1, 0)),
     'ideal-sgd': Stroke(colour='#7f7f7f', dash=(5, 3))}
    """
    oracles = (Stroke(GREY, dash) for dash in cycle(DASHED))
    others = (Stroke(colour, dash) for dash in cycle((SOLID, *DASHED)) for colour in PALETTE)
    return {
        name: Stroke(RSA, SOLID) if name == "rsa" else next(oracles if name.startswith("ideal-") else others)
        for name in dict.fromkeys(names)
    }


def colour_and_dash(field: str, by_label: Mapping[str, Stroke]) -> tuple[alt.Color, alt.StrokeDash]:
    """Return the encodings of a field whose values have these strokes, with one legend for both."""
    legend = alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    colours = alt.Scale(domain=list(by_label), range=[stroke.colour for stroke in by_label.values()])
    dashes = alt.Scale(domain=list(by_label), range=[stroke.dash for stroke in by_label.values()])
    colour = alt.Color(f"{field}:N", title=None, legend=legend, scale=colours)
    return colour, alt.StrokeDash(f"{field}:N", title=None, legend=legend, scale=dashes)
