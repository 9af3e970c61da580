"""How the lines of a chart are told apart: a colour, a dash and a name at the line's end.

Okabe and Ito's colours for the colour-blind. Charts name them as CSS variables, so that a page is light, dark or
printed without being drawn again; pictures have the light ones. Vermillion is kept for what fails.
"""

from collections.abc import Iterable
from itertools import cycle
from typing import NamedTuple

RSA = "blue"
HUES = ("orange", "green", "purple", "ink", "sky", "yellow")
DEEP = {f"deep_{hue}": hue for hue in (*HUES[1:], HUES[0]) if hue != "ink"}
"""More colours, each a hue made darker. Nothing is darker than ink; deep orange comes last, since it is near yellow."""
OTHERS = (*HUES, *DEEP)
DEPTH = 0.45
"""The share of the dark one of ink and paper in a deep colour."""


def _mixed(one: str, other: str, share: float) -> str:
    """Return a colour with a share of another in it.

    >>> _mixed("#ff0000", "#0000ff", 0.4)
    '#990066'
    """
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in pairs)


def _with_deep(scheme: dict[str, str], dark: str) -> dict[str, str]:
    return scheme | {deep: _mixed(scheme[hue], scheme[dark], DEPTH) for deep, hue in DEEP.items()}


LIGHT = _with_deep(
    {
        "ink": "#1b1b1b",
        "soft": "#5c5f66",
        "line": "#dcdee2",
        "paper": "#ffffff",
        "raised": "#f5f6f8",
        "blue": "#0072B2",
        "orange": "#E69F00",
        "green": "#009E73",
        "purple": "#CC79A7",
        "sky": "#56B4E9",
        "yellow": "#A39100",
        "fails": "#C04A00",
        "best": "#dcebf5",
    },
    dark="ink",
)
DARK = _with_deep(
    LIGHT
    | {
        "ink": "#e8e9ec",
        "soft": "#a9adb5",
        "line": "#3a3e46",
        "paper": "#15171b",
        "raised": "#1e2127",
        "blue": "#2f9fe0",
        "yellow": "#F0E442",
        "sky": "#9fd6f7",
        "fails": "#ff7a33",
        "best": "#16344a",
    },
    dark="paper",
)
"""On paper yellow is darker than Okabe and Ito's, in the dark the blues are lighter: else they could not be seen."""

SOLID = (1, 0)
WIDTH, WIDE = 1.8, 2.8
DASHES = ((6, 3), (2, 2), (10, 3), (8, 3, 2, 3), (4, 2, 1, 2), (12, 3, 2, 3, 2, 3))


class Stroke(NamedTuple):
    """What a line looks like."""

    colour: str
    dash: tuple[int, ...]
    width: float = WIDTH


def variable(colour: str) -> str:
    """Return a colour as charts name it."""
    return f"var(--{colour})"


def strokes(names: Iterable[str]) -> dict[str, Stroke]:
    """Return a stroke for each name, by order of first appearance.

    RSA is blue, solid and wide; oracles are grey; all others differ in colour and in dash.

    >>> strokes(["krum", "rsa", "ideal-sgd", "krum"])
    {'krum': Stroke(colour='orange', dash=(6, 3), width=1.8),
     'rsa': Stroke(colour='blue', dash=(1, 0), width=2.8),
     'ideal-sgd': Stroke(colour='soft', dash=(6, 3), width=1.8)}
    """
    oracles = (Stroke("soft", dash) for dash in cycle(DASHES))
    # the numbers of colours and of dashes have no common divisor, so that pairs repeat as late as they can
    others = (Stroke(*pair) for pair in zip(cycle(OTHERS), cycle(DASHES), strict=False))
    return {
        name: Stroke(RSA, SOLID, WIDE) if name == "rsa" else next(oracles if name.startswith("ideal-") else others)
        for name in dict.fromkeys(names)
    }
