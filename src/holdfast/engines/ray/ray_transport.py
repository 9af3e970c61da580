"""Requests and answers through Ray: one actor per member. Bytes are read, nothing is unpickled."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from time import monotonic
from typing import Any

import numpy as np

from holdfast.engines.ray.cluster import Cluster
from holdfast.engines.remote import Station
from holdfast.engines.transport import Answer, Lost, Meanwhile, nothing
from holdfast.engines.wire import Data
from holdfast.engines.wire.packets import reported
from holdfast.errors import EngineError

INLINE = 100_000
"""Bytes from which Ray does better with one shared copy of an argument."""
SLICE = 0.25
"""Seconds that Ray waits before it is seen whether anything else is to be done."""


class RayTransport:
    """Stations in actors, one processor each; `stations` are picklable and build one each, in its actor."""

    def __init__(self, stations: Sequence[Callable[[], Station]], address: str = "local") -> None:
        self._stations, self._address = stations, address
        self._cluster: Cluster | None = None
        self._actors: list[Any] = []
        self._waiting: dict[Any, int] = {}
        self._shared: deque[tuple[bytes, Any]] = deque(maxlen=2)  # what followers are sent, and what others are

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self._cluster = Cluster(len(self._stations), self._address, stopping)
        self._actors = [self._cluster.start(Actor, station) for station in self._stations]

    def send(self, member: int, request: bytes) -> None:
        self._waiting[self._actors[member].handle.remote(self._argument(request))] = member

    def _argument(self, request: bytes) -> Any:
        """Return a request as an argument for actors; a large one is put once where all can reach it."""
        if len(request) < INLINE:
            return request
        for put, reference in self._shared:
            if put is request:
                return reference
        reference = self._running.ray.put(np.frombuffer(request, np.uint8))  # read where it lies, not copied
        self._shared.append((request, reference))
        return reference

    def collect(self, timeout: float | None, meanwhile: Meanwhile = nothing) -> Iterator[Answer | Lost]:
        ray = self._running.ray
        deadline = None if timeout is None else monotonic() + timeout
        while self._waiting:
            left = SLICE if deadline is None else min(max(deadline - monotonic(), 0.0), SLICE)
            done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=left)
            if done:
                yield event(self._waiting.pop(done[0]), done[0])
            elif deadline is not None and monotonic() >= deadline:
                return
            else:
                meanwhile()

    def replace(self, member: int) -> None:
        self._running.ray.kill(self._actors[member])
        self._waiting = {promise: of for promise, of in self._waiting.items() if of != member}
        self._actors[member] = self._running.start(Actor, self._stations[member])

    def occupied(self) -> str:
        free, all_of_them = self._running.processors
        return f"{free} of the cluster's {all_of_them} processors free, {len(self._actors)} needed in all"

    def close(self) -> None:
        if self._cluster is not None:
            for actor in self._actors:
                self._cluster.ray.kill(actor)
            self._actors, self._waiting = [], {}
            self._shared.clear()
            self._cluster.close()
            self._cluster = None

    @property
    def _running(self) -> Cluster:
        assert self._cluster is not None  # whoever uses a transport starts it first
        return self._cluster


class Actor:
    """What runs in a process of Ray's: a station, or what kept it from being built."""

    def __init__(self, build: Callable[[], Station]) -> None:
        try:
            self._station = build()
        except Exception as error:
            self._failure: bytes | None = reported(error)
        else:
            self._failure = None

    def handle(self, request: Data) -> bytes:
        return self._station.handle(request) if self._failure is None else self._failure


def event(member: int, promise: Any) -> Answer | Lost:
    """Return what became of a request.

    `ray.get` would unpickle what an actor returns, and unpickling runs code. So the object is taken as it lies in the
    store: bytes are marked as such, and nothing else is read.
    """
    store = import_module("ray._private.worker").global_worker.core_worker
    try:
        ((data, metadata, *_),) = store.get_objects([promise], -1)
    except Exception as error:  # the store cannot give it any more
        return Lost(member, " ".join(str(error).split()))
    mark = bytes(metadata or b"").split(b",")[0]
    if mark == b"RAW":
        return Answer(member, b"" if data is None else memoryview(data))
    if not mark.isdigit():
        return Answer(member, reported(EngineError("an answer must be bytes; got a pickled object, left unread")))
    kind, why = _failure(int(mark), data)
    if kind == "TASK_EXECUTION_EXCEPTION":
        return Answer(member, reported(EngineError("the shard raised an exception of its own, left unread")))
    return Lost(member, why)


def _failure(number: int, data: Any) -> tuple[str, str]:
    """Return the name of a failure that Ray itself reports, and what it says of it."""
    raylet, messages = import_module("ray._raylet"), import_module("ray.core.generated.common_pb2")
    kinds = messages.ErrorType

    def refuse(index: int) -> Any:
        raise ValueError("a failure must be a plain message; got an object")

    name = kinds.Name(number) if number in kinds.values() else f"error {number}"
    try:
        info = messages.RayErrorInfo.FromString(
            raylet.MessagePackSerializer.loads(raylet.split_buffer(data)[0], refuse)
        )
    except Exception:  # it says nothing that could be understood
        return name, name
    died = info.actor_died_error
    texts = (
        died.creation_task_failure_context.formatted_exception_string,
        died.actor_died_error_context.error_message,
        info.error_message,
    )
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    return name, lines[-1] if lines else name
