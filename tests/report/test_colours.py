"""Every list of names gets strokes that can be told apart."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.report.colours import DASHED, GREY, PALETTE, SOLID, Stroke, strokes

NAMES = st.lists(st.sampled_from([f"rule-{i}" for i in range(20)] + ["rsa", "ideal-rsa", "ideal-sgd"]))


@given(NAMES)
def test_names_have_strokes_of_their_own(names: list[str]) -> None:
    found = strokes(names)
    assert list(found) == list(dict.fromkeys(names))
    assert len(set(found.values())) == len(found)
    for name, stroke in found.items():
        assert (stroke.colour == "#D55E00") == (name == "rsa")
        assert (stroke.colour == GREY) == name.startswith("ideal-")
        assert stroke.dash in DASHED if name.startswith("ideal-") else stroke.colour in (*PALETTE, "#D55E00")


@given(NAMES, NAMES)
def test_names_that_come_later_change_nothing(names: list[str], later: list[str]) -> None:
    assert strokes(names + later).items() >= strokes(names).items()


def test_more_names_than_colours_are_dashed() -> None:
    rules = list(strokes(f"rule-{i}" for i in range(len(PALETTE) + 1)).values())
    assert [stroke.dash for stroke in rules] == [SOLID] * len(PALETTE) + [DASHED[0]]
    assert rules[-1] == Stroke(PALETTE[0], DASHED[0])


def test_no_number_of_names_is_too_many() -> None:
    assert len(strokes(f"rule-{i}" for i in range(100))) == 100
    assert len(strokes(f"ideal-{i}" for i in range(10))) == 10
