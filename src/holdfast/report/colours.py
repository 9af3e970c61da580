"""Colours and strokes of charts. A colour, a dash and a name at its end tell a line from the others.

Okabe and Ito's colours for the colour-blind. Charts name them as CSS variables: the page is not drawn again when it
turns dark or is printed. Pictures have the light colours. Only failures are vermillion.
"""

from collections.abc import Iterable
from itertools import cycle
from typing import NamedTuple

RSA = "blue"
HUES = ("orange", "green", "purple", "ink", "sky", "yellow")
DEEP = {f"deep_{hue}": hue for hue in (*HUES[1:], HUES[0]) if hue != "ink"}
"""Darker hues, except of ink. Deep orange comes last, since it is near yellow."""
OTHERS = (*HUES, *DEEP)
DEPTH = 0.45
"""Share of ink or paper, whichever is dark, in a deep colour."""


def _mix(one: str, other: str, share: float) -> str:
    """Return a colour with a share of another in it.

    >>> _mix("#ff0000", "#0000ff", 0.4)
    '#990066'
    """
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in pairs)


def _add_deep(scheme: dict[str, str], dark: str) -> dict[str, str]:
    return scheme | {deep: _mix(scheme[hue], scheme[dark], DEPTH) for deep, hue in DEEP.items()}


LIGHT = _add_deep(
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
DARK = _add_deep(
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
"""Yellow on paper is darker, blues in the dark are lighter than Okabe and Ito's, to be seen."""

SOLID = (1, 0)
WIDTH, WIDE = 1.8, 2.8
DASHES = ((6, 3), (2, 2), (10, 3), (8, 3, 2, 3), (4, 2, 1, 2), (12, 3, 2, 3, 2, 3))


class Stroke(NamedTuple):
    """Colour, dash and width of a line."""

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
