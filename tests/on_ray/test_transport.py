"""Ray as a transport: real processes that are killed, stopped, and do not start; the engine above is the tested one."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")
pytest_plugins = ["warm"]
pytestmark = [
    pytest.mark.usefixtures("ray"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

sys.path.insert(0, str(Path(__file__).parents[1] / "engines"))
from small import Setup, problem  # noqa: E402

from holdfast import aggregators, attacks  # noqa: E402
from holdfast.attacks import LocalAttack, LocalView  # noqa: E402
from holdfast.engines.ray import INLINE, RayTransport  # noqa: E402
from holdfast.engines.remote import Remote, Station, divide  # noqa: E402
from holdfast.engines.transport import Answer  # noqa: E402
from holdfast.errors import InvalidInput, TooFew  # noqa: E402
from holdfast.methods import Aggregated, Rsa  # noqa: E402
from holdfast.methods.watchful import WatchfulRsa  # noqa: E402
from holdfast.typing import Rows, Vector, Workers  # noqa: E402

FULL = Setup(attack=attacks.Gaussian(), byzantine=(6, 7))
BITS = replace(FULL, method=Rsa(penalty=0.05, messages="bits"))
SIDES = replace(FULL, method=WatchfulRsa(penalty=0.05, messages="bits"))
EACH = pytest.mark.parametrize("setup", [FULL, BITS, SIDES], ids=["full", "bits", "sides"])
Acts = dict[int, Callable[[], Any]]


OPENED: list[Remote] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a failing test leaves open: its actors would keep the processors from all others."""
    yield
    while OPENED:
        OPENED.pop().close()


def on_ray(setup: Setup, **options: Any) -> Remote:
    parts = divide(setup.workers, 2)
    transport = RayTransport([partial(warmed, setup, part) for part in parts])
    OPENED.append(Remote(setup.agreement(), problem().start(), transport, parts, **options))
    return OPENED[-1]


def warmed(setup: Setup, workers: Workers) -> Station:
    station = setup.station(workers)
    station.warm_up(problem().start())
    return station


def learned(setup: Setup, engine: Any, rounds: int, acts: Acts | None = None) -> Vector:
    state = setup.start()
    for round in range(rounds):
        (acts or {}).get(round, lambda: None)()
        state = setup.program.step(state, engine.exchange(state, round))
    model: Vector = state.model
    return model


@pytest.mark.parametrize(
    "setup",
    [
        FULL,
        BITS,
        SIDES,
        replace(FULL, attack=attacks.SignFlip(), method=Aggregated(aggregators.Median())),
        replace(BITS, attack=attacks.Duplicate(), share=0.4),
        replace(SIDES, attack=attacks.Duplicate(), share=0.4),
    ],
    ids=str,
)
def test_the_bits_of_the_simulation(setup: Setup) -> None:
    assert learned(setup, on_ray(setup), 5).tobytes() == learned(setup, setup.simulated(), 5).tobytes()


@EACH
def test_killed_processes_are_replaced_and_the_run_ends_as_if_they_had_lived(setup: Setup) -> None:
    """One between rounds before anything was kept, one after it; then one a moment later, in a round or between."""
    engine = on_ray(setup)
    engine.start()

    def kill(which: int) -> None:
        os.kill(engine.processes()[which], signal.SIGKILL)

    def kill_soon(which: int) -> None:
        threading.Timer(0.004, os.kill, [engine.processes()[which], signal.SIGKILL]).start()

    acts: Acts = {3: partial(kill, 0), 5: lambda: engine.state, 8: partial(kill, 1), 10: partial(kill_soon, 0)}
    model = learned(setup, engine, 40, acts)
    assert model.tobytes() == learned(setup, setup.simulated(), 40).tobytes()
    assert engine.absent == 0
    assert len(engine.faults) == 3


def test_a_stopped_process_is_late_and_comes_back_with_the_next_round() -> None:
    engine = on_ray(FULL, timeout=0.7)
    process = engine.processes()[1]

    def go() -> None:
        os.kill(process, signal.SIGCONT)
        time.sleep(0.5)  # until the late answer is there

    learned(FULL, engine, 9, {3: lambda: os.kill(process, signal.SIGSTOP), 5: go})
    assert 2 * 3 <= engine.absent <= 4 * 3  # two rounds of three workers; more if this machine is slow


def test_too_few_answers_leave_the_others_where_they_were() -> None:
    engine, here = on_ray(FULL, timeout=0.7, least=5), FULL.simulated()
    state = FULL.start()
    for round in range(3):
        engine.exchange(state, round)
        state = FULL.program.step(state, here.exchange(state, round))
    stopped = engine.processes()[1]
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(TooFew, match="round 4 needs answers of at least 5 workers; got 4"):
        engine.exchange(state, 3)
    assert engine.state.model.tobytes() == here.state.model.tobytes()
    assert stopped not in engine.processes()


@dataclass(frozen=True)
class Refusing(LocalAttack):
    """Say what is wrong."""

    def __call__(self, view: LocalView, /) -> Rows:
        raise InvalidInput(f"refusing needs another round; got {view.round}")


def test_what_an_attack_in_a_process_of_its_own_says_reaches_the_user() -> None:
    engine = on_ray(replace(FULL, attack=Refusing()))
    with pytest.raises(InvalidInput, match=r"^refusing needs another round; got 0$"):
        engine.exchange(FULL.start(), 0)


def missing(path: Path, workers: Workers) -> Station:
    raise InvalidInput(f"a data file must exist; got {path}")


def test_a_process_that_cannot_start_says_why() -> None:
    transport = RayTransport([partial(missing, Path("/nowhere/data.npz"), np.arange(1, 8))])
    engine = Remote(FULL.agreement(), problem().start(), transport, [np.arange(1, 8)])
    with pytest.raises(InvalidInput, match=r"every shard must be able to start; got .*/nowhere/data\.npz"):
        engine.start()


def killed_at_first(mark: Path, setup: Setup, workers: Workers) -> Station:
    """Die while starting, but for the second time."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return warmed(setup, workers)


@EACH
def test_a_process_that_is_killed_while_it_starts_is_replaced(setup: Setup, tmp_path: Path) -> None:
    parts = divide(setup.workers, 2)
    stations = [partial(warmed, setup, parts[0]), partial(killed_at_first, tmp_path / "mark", setup, parts[1])]
    OPENED.append(Remote(setup.agreement(), problem().start(), RayTransport(stations), parts))
    engine = OPENED[-1]
    assert learned(setup, engine, 5).tobytes() == learned(setup, setup.simulated(), 5).tobytes()
    (fault,) = engine.faults
    assert fault.startswith("round 0: workers 5 to 7: ")
    assert engine.absent == 0


class Echo:
    """A station that says how long its requests are."""

    def handle(self, request: Any) -> bytes:
        return b"%d" % len(request) + bytes(len(request))


def test_a_large_request_is_put_once_for_all(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = RayTransport([Echo, Echo])  # type: ignore[list-item]
    transport.start()
    puts: list[Any] = []
    put = ray.put

    def counted(value: Any) -> Any:
        puts.append(value)
        return put(value)

    monkeypatch.setattr(ray, "put", counted)
    large, small = bytes(INLINE), b"small"
    for request in (large, large, small):
        for member in (0, 1):
            transport.send(member, request)
        answers = {event.member: bytes(event.data) for event in transport.collect(None) if isinstance(event, Answer)}
        assert answers == {member: b"%d" % len(request) + bytes(len(request)) for member in (0, 1)}
    assert len(puts) == 1
    transport.close()
