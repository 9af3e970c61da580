"""Every list of names gets strokes that can be told apart, also without colours and in the dark."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.report.colours import DARK, DASHES, LIGHT, OTHERS, RSA, SOLID, strokes

NAMES = st.lists(st.sampled_from([f"rule-{i}" for i in range(20)] + ["rsa", "ideal-rsa", "ideal-sgd"]))


@given(NAMES)
def test_names_have_strokes_of_their_own(names: list[str]) -> None:
    found = strokes(names)
    assert list(found) == list(dict.fromkeys(names))
    assert len(set(found.values())) == len(found)
    for name, stroke in found.items():
        assert (stroke.colour == RSA) == (stroke.dash == SOLID) == (name == "rsa")
        assert (stroke.colour == "soft") == name.startswith("ideal-")
        assert stroke.colour in LIGHT


@given(NAMES, NAMES)
def test_names_that_come_later_change_nothing(names: list[str], later: list[str]) -> None:
    assert strokes(names + later).items() >= strokes(names).items()


def test_a_handful_of_rules_differs_in_dash_too() -> None:
    found = strokes(["rsa", *(f"rule-{i}" for i in range(len(DASHES)))]).values()
    assert len({stroke.dash for stroke in found}) == len({stroke.colour for stroke in found}) == len(found)


def test_no_number_of_names_is_too_many() -> None:
    assert len(set(strokes(f"rule-{i}" for i in range(66)).values())) == 66
    assert len(strokes(f"rule-{i}" for i in range(100))) == 100
    assert len(strokes(f"ideal-{i}" for i in range(10))) == 10


def test_what_fails_has_a_colour_of_its_own() -> None:
    assert "fails" not in (RSA, *OTHERS)
    assert DARK.keys() == LIGHT.keys()


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_can_be_seen(scheme: dict[str, str]) -> None:
    for text in ("ink", "soft", "fails"):
        assert contrast(scheme[text], scheme["paper"]) >= 4.5
    assert contrast(scheme["ink"], scheme["best"]) >= 4.5
    for line in (RSA, *OTHERS):
        assert contrast(scheme[line], scheme["paper"]) >= 2.1
    for one, other in combinations((RSA, *OTHERS), 2):
        assert distance(scheme[one], scheme[other]) > 35, f"{one} and {other} look alike"


def distance(one: str, other: str) -> float:
    """Return how far two colours are apart, in steps of a byte of red, green and blue."""
    return math.dist(*([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other)))


def test_as_many_methods_as_have_colours_share_none() -> None:
    """Dots have no dashes: where worst cases are drawn, the colour alone tells methods apart."""
    names = ["rsa", *(f"rule-{i}" for i in range(len(OTHERS)))]
    assert len(names) > 8
    assert len({stroke.colour for stroke in strokes(names).values()}) == len(names)
