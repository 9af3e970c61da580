"""What a shard returns is bytes, or it is not read: nothing of it is executed by the master."""

import os
import sys
from collections.abc import Callable
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

from holdfast import attacks  # noqa: E402
from holdfast.engines import wire  # noqa: E402
from holdfast.engines.ray import RayTransport  # noqa: E402
from holdfast.engines.remote import Remote, divide  # noqa: E402
from holdfast.engines.wire import Kind  # noqa: E402
from holdfast.methods import Rsa  # noqa: E402
from holdfast.methods.watchful import WatchfulRsa  # noqa: E402
from holdfast.typing import Workers  # noqa: E402

FULL = Setup(attack=attacks.SignFlip(), byzantine=(2, 6))
BITS = replace(FULL, method=Rsa(penalty=0.05, messages="bits"))
SIDES = replace(FULL, method=WatchfulRsa(penalty=0.05, messages="bits"))
ROWS = np.zeros((3, 15), np.float32)


@dataclass
class Evil(Exception):
    """Something that makes a folder when it is unpickled."""

    path: str

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.path,)


def raised(path: str) -> Any:
    raise Evil(path)


Deed = Callable[[str], Any]
DEEDS: dict[str, tuple[Deed, str]] = {
    "an object": (Evil, "an answer must be bytes; got a pickled object, left unread"),
    "a list": (lambda path: [b"bytes", Evil(path)], "an answer must be bytes; got a pickled object, left unread"),
    "an array": (lambda path: np.array([Evil(path)], object), "got a pickled object, left unread"),
    "plain bytes in an array": (lambda path: np.zeros(9, np.uint8), "got a pickled object, left unread"),
    "an exception": (raised, "the shard raised an exception of its own, left unread"),
    "garbage": (lambda path: b"garbage", "a frame must have at least 44 bytes; got 7"),
    "float64": (lambda path: wire.floats(Kind.MODEL, ROWS.astype(np.float64), 2), "got float64|got MODEL"),
    "rows for bits": (lambda path: wire.floats(Kind.MODEL, ROWS[:2], 2), "got 2 and 2"),
}


class Station:
    """A station that does something else when it is asked for round 2."""

    def __init__(self, setup: Setup, workers: Workers, deed: Deed | None, path: str) -> None:
        self.honest, self.deed, self.path = setup.station(workers), deed, path

    def handle(self, request: Any) -> Any:
        packet = wire.unpack(request)
        if self.deed is not None and packet.kind == "play" and int(packet.arrays["round"]) == 2:
            self.honest.handle(request)
            return self.deed(self.path)
        return self.honest.handle(request)


@pytest.mark.usefixtures("kept_actors")
@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("setup", [FULL, BITS, SIDES], ids=["full", "bits", "sides"])
def test_whatever_a_shard_returns_is_not_executed_and_the_run_goes_on(setup: Setup, deed: str, tmp_path: Path) -> None:
    path, parts = tmp_path / "made", divide(setup.workers, 2)
    act, says = DEEDS[deed]
    built: list[Any] = [partial(Station, setup, part, act if i else None, str(path)) for i, part in enumerate(parts)]
    engine = Remote(setup.agreement(), problem().start(), RayTransport(built), parts)
    state = setup.start()
    for round in range(5):
        received = engine.exchange(state, round)
        assert len(received.workers) == (4 if round == 2 else 7)
        state = setup.program.step(state, received)
    assert state.model.dtype == np.float32
    engine.close()
    assert not path.exists()
    (fault,) = engine.faults
    assert fault.startswith("round 3: workers 5 to 7: ")
    assert any(part in fault for part in says.split("|")), fault


def test_the_object_would_have_made_a_folder(ray: Any, tmp_path: Path) -> None:
    """The test above can fail: this is what `ray.get` does."""
    path = tmp_path / "made"
    ray.get(ray.remote(num_cpus=0)(lambda: Evil(str(path))).remote())  # kept actors have the processors
    assert path.exists()
