"""Requests and answers through Ray: one actor per member. Answers are bytes; nothing is unpickled."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from time import monotonic
from typing import Any

import numpy as np

from holdfast.engines.ray.cluster import Cluster
from holdfast.engines.remote import Station
from holdfast.engines.transport import Answer, Lost, Meanwhile, do_nothing
from holdfast.engines.wire import Data, pack_error
from holdfast.errors import EngineError

INLINE = 100_000
"""Bytes from which Ray is faster with one shared copy of an argument."""
SLICE = 0.25
"""Seconds that Ray waits at a time."""


class RayTransport:
    """Stations in actors, one processor each. Each of `stations` is picklable and builds a station in its actor."""

    def __init__(self, stations: Sequence[Callable[[], Station]], address: str = "local") -> None:
        self._stations, self._address = stations, address
        self._cluster: Cluster | None = None
        self._actors: list[Any] = []
        self._waiting: dict[Any, int] = {}
        self._shared: deque[tuple[bytes, Any]] = deque(maxlen=2)  # the request to followers, and the one to others

    def start(self, stopping: Callable[[], bool] = lambda: False) -> None:
        self._cluster = Cluster(len(self._stations), self._address, stopping)
        self._actors = [self._cluster.start(Actor, station) for station in self._stations]

    def send(self, member: int, request: bytes) -> None:
        self._waiting[self._actors[member].handle.remote(self._argument(request))] = member

    def _argument(self, request: bytes) -> Any:
        """Return a request as an argument for actors; a large one is put once into Ray's store."""
        if len(request) < INLINE:
            return request
        for put, reference in self._shared:
            if put is request:
                return reference
        reference = self._running.ray.put(np.frombuffer(request, np.uint8))  # actors read it without a copy
        self._shared.append((request, reference))
        return reference

    def collect(self, timeout: float | None, meanwhile: Meanwhile = do_nothing) -> Iterator[Answer | Lost]:
        ray = self._running.ray
        deadline = None if timeout is None else monotonic() + timeout
        while self._waiting:
            left = SLICE if deadline is None else min(max(deadline - monotonic(), 0.0), SLICE)
            done, _ = ray.wait(list(self._waiting), num_returns=1, timeout=left)
            if done:
                yield read_result(self._waiting.pop(done[0]), done[0])
            elif deadline is not None and monotonic() >= deadline:
                return
            else:
                meanwhile()

    def replace(self, member: int) -> None:
        self._running.ray.kill(self._actors[member])
        self._waiting = {promise: of for promise, of in self._waiting.items() if of != member}
        self._actors[member] = self._running.start(Actor, self._stations[member])

    def describe_wait(self) -> str:
        free, total = self._running.processors
        return f"{free} of the cluster's {total} processors free, {len(self._actors)} needed in all"

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
        assert self._cluster is not None  # start comes first
        return self._cluster


class Actor:
    """A station in a process of Ray's, or the error that kept it from being built."""

    def __init__(self, build: Callable[[], Station]) -> None:
        try:
            self._station = build()
        except Exception as error:
            self._failure: bytes | None = pack_error(error)
        else:
            self._failure = None

    def handle(self, request: Data) -> bytes:
        return self._station.handle(request) if self._failure is None else self._failure


def read_result(member: int, promise: Any) -> Answer | Lost:
    """Return the answer to a request, or the loss of its member.

    `ray.get` would unpickle what an actor returns, and unpickling runs code. So the object is read from the store as it
    is: bytes are marked as such, and nothing else is read.
    """
    store = import_module("ray._private.worker").global_worker.core_worker
    try:
        ((data, metadata, *_),) = store.get_objects([promise], -1)
    except Exception as error:  # the store has lost the object
        return Lost(member, " ".join(str(error).split()))
    mark = bytes(metadata or b"").split(b",")[0]
    if mark == b"RAW":
        return Answer(member, b"" if data is None else memoryview(data))
    if not mark.isdigit():
        return Answer(member, pack_error(EngineError("an answer must be bytes; got a pickled object, left unread")))
    kind, why = _read_failure(int(mark), data)
    if kind == "TASK_EXECUTION_EXCEPTION":
        return Answer(member, pack_error(EngineError("the shard raised an exception of its own, left unread")))
    return Lost(member, why)


def _read_failure(number: int, data: Any) -> tuple[str, str]:
    """Return the name of a failure that Ray itself reports, and its message."""
    raylet, messages = import_module("ray._raylet"), import_module("ray.core.generated.common_pb2")
    kinds = messages.ErrorType

    def refuse(index: int) -> Any:
        raise ValueError("a failure must be a plain message; got an object")

    name = kinds.Name(number) if number in kinds.values() else f"error {number}"
    try:
        info = messages.RayErrorInfo.FromString(
            raylet.MessagePackSerializer.loads(raylet.split_buffer(data)[0], refuse)
        )
    except Exception:  # there is no readable message
        return name, name
    died = info.actor_died_error
    texts = (
        died.creation_task_failure_context.formatted_exception_string,
        died.actor_died_error_context.error_message,
        info.error_message,
    )
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    return name, lines[-1] if lines else name
