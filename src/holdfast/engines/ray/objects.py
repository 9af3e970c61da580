"""What actors return, as it lies in Ray's store: bytes are read, nothing is unpickled."""

from importlib import import_module
from typing import Any

from holdfast.engines.remote.answers import reported
from holdfast.engines.transport import Answer, Lost
from holdfast.errors import EngineError


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
