"""Whether a cluster can be joined, said in one line: Ray itself tries for long, and then ends this process."""

import os
import socket
from collections.abc import Callable
from importlib import import_module

from holdfast.errors import EngineError, InvalidInput

TRIES = 9
"""How often an address is tried, for at most `TRY` seconds each."""
TRY = 1.0
SETTINGS = 4
"""The type of the frame that begins a connection of HTTP/2, which Ray's services speak."""
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, SETTINGS, 0, 0, 0, 0, 0])


def reach(address: str, stopping: Callable[[], bool]) -> None:
    """Say so if nobody is at the address, or somebody else."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    for last in [*[False] * (TRIES - 1), True]:
        try:
            found = _greeted(host, int(port))
        except (OSError, ValueError) as error:
            if last or not isinstance(error, TimeoutError):
                raise unreachable(address, error) from None
        else:
            if not found:
                raise unreachable(address, "who answers there is not Ray")
            return
        if stopping():
            raise EngineError(f"asked to stop while nobody answered at {address}")


def _greeted(host: str, port: int) -> bool:
    """Return whether who answers speaks HTTP/2; with TLS, whether anybody answers."""
    with socket.create_connection((host, port), timeout=TRY) as connection:
        if os.environ.get("RAY_USE_TLS", "0") != "0":
            return True
        connection.sendall(GREETING)
        with connection.makefile("rb") as answer:
            return answer.read(4)[3:] == bytes([SETTINGS])  # after the length of the frame, its type


def ask_in(address: str) -> None:
    """Say so if the cluster asks for a token that we do not have."""
    raylet, errors = import_module("ray._raylet"), import_module("ray.exceptions")
    try:
        raylet.GcsClient(address=address)
    except errors.AuthenticationError:
        how = "set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN, as docs/security.md tells"
        raise unreachable(address, f"it asks for a token that is missing or wrong; {how}") from None
    except Exception:  # whatever else it is, Ray will say it
        return


def unreachable(address: str, why: object) -> InvalidInput:
    """Return the error for an address at which no cluster can be joined."""
    return InvalidInput(f"--address must be HOST:PORT of a running Ray cluster; got {address}: {why}")
