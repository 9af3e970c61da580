"""Attacks that write into all they are given, return anything, subclass everything: no honest bit changes."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from small import SETTING, Setup

from holdfast import attacks
from holdfast.attacks import ColludingAttack, FullView, LocalAttack, WithMemory
from holdfast.engines.adversary import Adversary
from holdfast.errors import InvalidInput
from holdfast.methods import make_method
from holdfast.states import arrays_of
from holdfast.typing import Nothing, Rows, Sides, Tally

ROUNDS = 4
METHODS = [
    "rsa",
    "median",
    "centered-clipping",
    "ideal-sgd",
    "rsa:messages=bits,penalty=0.05",
    "watchful-rsa:messages=bits,penalty=0.05",
    "rsa:reply=updated,local_steps=2,penalty=0.05",
]
"""Models, gradients, a rule that remembers, a master that asks the honest alone, bits, several steps."""
WORKERS = np.arange(1, 8)
ONE_DECLARED = SETTING._replace(declared=1)  # seven workers are enough for every rule then


def shown(view: Any) -> Iterator[Any]:
    """Yield every array of a view, and every answer of the master, and what each is made of."""
    answers = asked(view) if isinstance(view, FullView) else []
    names = [field.name for field in fields(view) if field.name not in ("aggregate", "sketch")]
    for each in (*answers, *(getattr(view, name) for name in names)):
        array = each
        while array is not None and not isinstance(array, int):
            yield array
            array = array.base if isinstance(array, np.ndarray) else getattr(array, "obj", None)


def asked(view: FullView) -> list[Any]:
    """Return what the master answers, as whole rows and as few coordinates, where it can be asked."""
    assert view.aggregate is not None
    rows = np.concatenate([view.honest, view.own])
    answers = [view.aggregate(rows)]
    return answers if view.sketch is None else [*answers, view.sketch.ask(rows, 0)]


def overwrite(array: Any) -> None:
    """Write wherever one can get, by all that NumPy offers."""
    with suppress(ValueError, TypeError, AttributeError):
        array.flags.writeable = True
    with suppress(ValueError, TypeError):
        array[...] = 77
    with suppress(ValueError, TypeError, BufferError):
        memoryview(array).cast("B")[:] = bytes(array.nbytes)


def reshape(array: Any) -> None:
    """Make it something else than it was."""
    for attribute, value in (("shape", (-1,)), ("dtype", np.uint8)):
        with suppress(ValueError, TypeError, AttributeError):
            setattr(array, attribute, value)
    with suppress(ValueError, AttributeError):
        array.flags.writeable = False


def write(view: Any, kept: list[Any]) -> None:
    for array in shown(view):
        overwrite(array)


def write_later(view: Any, kept: list[Any]) -> None:
    """Write into what was shown in the rounds before."""
    for array in kept:
        overwrite(array)
    kept.extend(shown(view))


def turn(view: Any, kept: list[Any]) -> None:
    for array in list(shown(view)):
        overwrite(array)
        reshape(array)


def rebind(view: Any, kept: list[Any]) -> None:
    """Change the view itself."""
    for field in fields(view):
        object.__setattr__(view, field.name, None)


def nothing(view: Any, kept: list[Any]) -> None: ...


DEEDS = [write, write_later, turn, rebind]


class Own(np.ndarray[Any, Any]):
    """An array that says of itself what is not true."""

    shape = (99, 99)  # type: ignore[override]

    def __getitem__(self, at: Any) -> Any:
        raise AssertionError("nobody needs to ask")


def made(base: type, deed: Callable[[Any, list[Any]], None], plain: bool = True, own: bool = False) -> Any:
    """Return an attack of this kind that does something and then sends 5s."""

    class Hostile(base):  # type: ignore[misc]
        uses_own = own

        def __call__(self, view: Any, /) -> Rows:
            shape = (len(view.workers), view.own.shape[-1])
            sent = np.full(shape, 5.0, np.float32)
            deed(view, self.__dict__.setdefault("kept", []))
            self.__dict__.setdefault("kept", []).append(sent)
            return sent if plain else sent.view(Own)

        def init(self, neutral: Any, byzantine: Any) -> Any:
            overwrite(neutral)
            overwrite(byzantine)
            return Nothing()

        def step(self, state: Any, view: Any) -> tuple[Rows, Any]:
            return self(view), state

    return Hostile()


class Remembering(WithMemory[Any], LocalAttack):
    """Local, with memory."""


class RememberingAll(WithMemory[Any], ColludingAttack):
    """Colluding, with memory."""


KINDS = [LocalAttack, ColludingAttack, Remembering, RememberingAll]
BASES = [*KINDS, *attacks.REGISTRY.values()]


def setup_of(method: str, attack: Any, **changes: Any) -> Setup:
    return Setup(make_method(method).with_penalty(0.5), attack, (2, 6), setting=ONE_DECLARED, **changes)


def trajectory(setup: Setup, engine: Any) -> list[bytes]:
    """Return all that the master and the honest workers hold and say, round by round."""
    state, seen = setup.start(), []
    for round in range(ROUNDS):
        received = engine.exchange(state, round)
        rows = received.rows
        rows = rows.ones if isinstance(rows, Tally) else rows.bits if isinstance(rows, Sides) else rows
        seen += [rows.tobytes(), received.workers.tobytes()]
        state = setup.program.step(state, received)
        seen += [array.tobytes() for part in (state, engine.state) for array in arrays_of(part).values()]
    return [*seen, engine.honest.tobytes(), engine.workers.tobytes()]


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("method", METHODS)
def test_no_honest_bit_changes_in_the_simulation_nor_in_several_processes(method: str, deed: Any) -> None:
    for base in KINDS:
        for own in (True, False):
            hostile, polite = (setup_of(method, made(base, act, own=own)) for act in (deed, nothing))
            expected = trajectory(polite, polite.simulated())
            assert trajectory(hostile, hostile.simulated()) == expected, base
            there, _ = hostile.remote(3)
            assert trajectory(hostile, there) == expected, base
            assert not there.faults


@pytest.mark.parametrize("share", [0.4, 1.0])
@pytest.mark.parametrize("base", BASES)
def test_nor_where_some_are_asked(base: type, share: float) -> None:
    for deed in DEEDS:
        hostile, polite = (setup_of("rsa", made(base, act, own=True), share=share) for act in (deed, nothing))
        expected = trajectory(polite, polite.simulated())
        assert trajectory(hostile, hostile.simulated()) == trajectory(hostile, hostile.remote(2)[0]) == expected


@pytest.mark.parametrize("base", BASES)
def test_an_array_that_denies_its_shape_is_taken_for_what_it_is(base: type) -> None:
    odd, polite = (setup_of("rsa", made(base, nothing, plain)) for plain in (False, True))
    assert trajectory(odd, odd.simulated()) == trajectory(polite, polite.simulated())


def sent(of: Callable[[Rows], Any]) -> list[Any]:
    """Return attacks, local and colluding, that send what `of` makes of right rows."""

    def kind(base: type) -> Any:
        class Wrong(base):  # type: ignore[misc]
            def __call__(self, view: Any, /) -> Any:
                return of(np.zeros(view.own.shape, view.own.dtype))

        return Wrong()

    return [kind(LocalAttack), kind(ColludingAttack)]


WRONG: dict[str, Callable[[Rows], Any]] = {
    "too few": lambda rows: rows[:0],
    "too many": lambda rows: np.concatenate([rows, rows]),
    "one row": lambda rows: rows[0],
    "narrow": lambda rows: rows[:, :-1],
    "one number": lambda rows: rows[:1, :1],
    "turned": lambda rows: rows.T,
    "deep": lambda rows: rows[np.newaxis],
    "integers": lambda rows: rows.astype(np.int32),
    "complex": lambda rows: rows.astype(np.complex64),
    "objects": lambda rows: rows.astype(object),
    "texts": lambda rows: rows.astype("U4"),
    "times": lambda rows: rows.astype("M8[s]"),
    "a list": lambda rows: rows.tolist(),
    "nothing": lambda rows: None,
    "a number": lambda rows: 3.0,
    "a generator": lambda rows: (row for row in rows),
    "structured": lambda rows: np.zeros(rows.shape, [("x", np.float32)]),
    "a liar's shape": lambda rows: rows[:0].view(Own),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    "method", ["rsa", "median", "rsa:messages=bits,penalty=0.05", "watchful-rsa:messages=bits,penalty=0.05"]
)
def test_whatever_else_is_returned_is_one_line_that_names_the_attack(method: str, wrong: str) -> None:
    for attack in sent(WRONG[wrong]):
        setup = setup_of(method, attack)
        for engine in (setup.simulated(), setup.remote(2)[0]):
            with pytest.raises(InvalidInput, match=r"attack Wrong must return a floating-point array of shape") as said:
                engine.exchange(setup.start(), 0)
            assert str(said.value).isprintable()


def test_an_attack_has_one_threat_model() -> None:
    class Both(LocalAttack, ColludingAttack):
        def __call__(self, view: Any, /) -> Rows:
            return np.zeros_like(view.own)

    with pytest.raises(
        InvalidInput, match="an attack must be a LocalAttack or a ColludingAttack; got Both, which is b"
    ):
        Adversary(Both(), WORKERS, (2,))


class Twice(attacks.SignFlip):
    """Not the attack that it is made of."""

    def __call__(self, view: Any, /) -> Rows:
        return 2 * super().__call__(view)


def test_a_subclass_is_not_taken_for_what_it_is_made_of() -> None:
    setup = setup_of("rsa", Twice())
    other = replace(setup, attack=attacks.SignFlip())
    assert trajectory(setup, setup.simulated()) == trajectory(setup, setup.remote(2)[0])
    assert trajectory(setup, setup.simulated()) != trajectory(other, other.simulated())
