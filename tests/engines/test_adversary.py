"""What attacks are shown, what they may do with it, and what is made of what they return."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from holdfast import attacks
from holdfast.attacks import ColludingAttack, FullView, LocalAttack, LocalView
from holdfast.engines.adversary import Adversary
from holdfast.errors import InvalidInput
from holdfast.typing import Messages, Rows

WORKERS = np.arange(1, 6)


class Local(LocalAttack):
    """Do what a test says, and remember what was seen."""

    def __init__(self, act: Callable[[Any], Any]) -> None:
        self.act, self.seen = act, list[Any]()

    def __call__(self, view: LocalView, /) -> Rows:
        self.seen.append(view)
        sent: Rows = self.act(view)
        return sent


class Colluding(ColludingAttack):
    uses_own = True

    def __init__(self, act: Callable[[Any], Any]) -> None:
        self.act, self.seen = act, list[Any]()

    def __call__(self, view: FullView, /) -> Rows:
        self.seen.append(view)
        sent: Rows = self.act(view)
        return sent


def rows() -> Rows:
    return np.arange(10, dtype=np.float32).reshape(5, 2)


@pytest.mark.parametrize("byzantine", [(4, 5), (2, 5)])
def test_a_local_attack_sees_its_own_rows_only(byzantine: tuple[int, ...]) -> None:
    attack, sent = Local(lambda view: -view.own), rows()
    corrupted = Adversary(attack, WORKERS, byzantine, seed=9).corrupt(Messages(sent, WORKERS, 3), np.zeros(2))
    (view,) = attack.seen
    assert type(view) is LocalView
    assert (view.workers.tolist(), view.round, view.seed) == (list(byzantine), 3, 9)
    at = np.array(byzantine) - 1
    np.testing.assert_array_equal(corrupted[at], -rows()[at])
    np.testing.assert_array_equal(np.delete(corrupted, at, 0), np.delete(rows(), at, 0))
    np.testing.assert_array_equal(sent, rows())


def test_a_colluding_attack_sees_all_who_are_present() -> None:
    attack, asked = Colluding(lambda view: -view.own), np.array([1, 2, 5])
    Adversary(attack, WORKERS, (4, 5)).corrupt(Messages(rows()[[0, 1, 4]], asked, 0), np.zeros(2))
    (view,) = attack.seen
    assert (view.workers.tolist(), view.honest_workers.tolist(), view.absent.tolist()) == ([5], [1, 2], [3])
    np.testing.assert_array_equal(view.honest, rows()[:2])


def test_colluding_workers_that_see_nobody_send_what_is_neutral() -> None:
    attack = Colluding(lambda view: view.own)
    sent = Adversary(attack, WORKERS, (4, 5)).corrupt(Messages(rows()[3:], WORKERS[3:], 0), np.ones(2, np.float32))
    assert not attack.seen
    np.testing.assert_array_equal(sent, np.ones((2, 2)))


def test_what_is_neither_local_nor_colluding_is_refused() -> None:
    def attack(view: Any) -> Any:
        return view.own

    with pytest.raises(InvalidInput, match="must be a LocalAttack or a ColludingAttack; got function"):
        Adversary(attack, WORKERS, (5,))  # type: ignore[arg-type]


def write(name: str) -> Callable[[Any], Any]:
    def act(view: Any) -> Any:
        shown = getattr(view, name)
        shown[...] = 77
        return view.own

    return act


def multiply(view: Any) -> Any:
    own = view.own
    own *= -4
    return own


@pytest.mark.parametrize("byzantine", [(4, 5), (2, 5)])
@pytest.mark.parametrize("name", ["own", "neutral", "workers", "honest", "honest_workers", "absent", "*="])
def test_an_attack_cannot_write_into_what_it_is_shown(name: str, byzantine: tuple[int, ...]) -> None:
    sent, neutral = rows(), np.zeros(2, np.float32)
    adversary = Adversary(Colluding(multiply if name == "*=" else write(name)), WORKERS, byzantine)
    with pytest.raises(
        InvalidInput, match=r"attack Colluding must not write into what it is shown; got: .* read-only$"
    ):
        adversary.corrupt(Messages(sent, WORKERS, 0), neutral)
    np.testing.assert_array_equal(sent, rows())
    assert not neutral.any()
    assert WORKERS.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("error", [ValueError("something else"), InvalidInput("their own, about read-only things")])
def test_other_errors_of_an_attack_stay_what_they_are(error: Exception) -> None:
    def act(view: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as raised:
        Adversary(Local(act), WORKERS, (5,)).corrupt(Messages(rows(), WORKERS, 0), np.zeros(2))
    assert raised.value is error


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        (np.zeros(2), r"float64 of shape \(2,\)"),
        (np.zeros((1, 2)), r"float64 of shape \(1, 2\)"),
        (np.zeros((2, 2), complex), r"complex128 of shape \(2, 2\)"),
        (np.zeros((2, 2), int), r"int64 of shape \(2, 2\)"),
        (np.zeros((2, 2), object), r"object of shape \(2, 2\)"),
        ([[0.0, 0.0], [0.0, 0.0]], "list"),
        (None, "NoneType"),
    ],
)
def test_what_is_not_a_row_per_worker_is_refused(sent: Any, came: str) -> None:
    due = r"attack Local must return a floating-point array of shape \(2, 2\); got "
    with pytest.raises(InvalidInput, match=f"^{due}{came}$"):
        Adversary(Local(lambda view: sent), WORKERS, (4, 5)).corrupt(Messages(rows(), WORKERS, 0), np.zeros(2))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_other_floating_numbers_become_those_of_the_rows(dtype: type) -> None:
    sent = Adversary(Local(lambda view: np.full((2, 2), 1e4, dtype)), WORKERS, (4, 5)).corrupt(
        Messages(rows(), WORKERS, 0), np.zeros(2)
    )
    assert sent.dtype == np.float32
    assert (sent[3:] == 1e4).all()


def test_numbers_too_large_for_the_rows_become_infinite_without_a_warning() -> None:
    adversary = Adversary(Local(lambda view: np.full((2, 2), 1e300)), WORKERS, (4, 5))
    assert np.isinf(adversary.corrupt(Messages(rows(), WORKERS, 0), np.zeros(2))[3:]).all()


@pytest.mark.parametrize(
    ("attack", "always", "idle"),
    [
        (attacks.Gaussian(), False, [4, 5]),
        (attacks.Gaussian(), True, []),
        (attacks.SignFlip(), False, []),
        (attacks.Duplicate(), False, [4, 5]),
    ],
)
def test_byzantine_workers_skip_their_own_message_when_the_attack_does_not_use_it(
    attack: attacks.Attack, always: bool, idle: list[int]
) -> None:
    assert Adversary(attack, WORKERS, (4, 5), computing_always=always).idle.tolist() == idle


@pytest.mark.parametrize(
    ("attack", "byzantine", "message"),
    [
        (attacks.SignFlip(), (5, 6), "byzantine must be among the workers; got 6"),
        (None, (5,), "Byzantine workers need an attack; got attack=None"),
        (attacks.SignFlip(), (1, 2, 3, 4, 5), "at least one worker must be honest; got 5 Byzantine of as many"),
    ],
)
def test_who_cannot_be_byzantine_is_said(
    attack: attacks.Attack | None, byzantine: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        Adversary(attack, WORKERS, byzantine)
