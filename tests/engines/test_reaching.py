"""An address at which there is no cluster is said in one line, before Ray is asked."""

import socket
import threading
from collections.abc import Iterator

import pytest

from holdfast.engines.ray import cluster
from holdfast.engines.ray.cluster import GREETING, reach
from holdfast.errors import EngineError, InvalidInput


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    monkeypatch.setattr(cluster, "TRY", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def at(server: socket.socket) -> str:
    return f"127.0.0.1:{server.getsockname()[1]}"


def answering(server: socket.socket, words: bytes) -> threading.Thread:
    """Answer the next who connects."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(len(GREETING))
            connection.sendall(words)

    thread = threading.Thread(target=answer)
    thread.start()
    return thread


def never() -> bool:
    return False


def test_who_begins_as_ray_does_is_taken_for_ray(server: socket.socket) -> None:
    answer = answering(server, GREETING[-9:])
    reach(at(server), never)
    answer.join()


@pytest.mark.parametrize("words", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH\r\n"])
def test_somebody_else_at_the_address_is_said(server: socket.socket, words: bytes) -> None:
    answer = answering(server, words)
    with pytest.raises(InvalidInput, match=r"^--address must be HOST:PORT .*; got .*: the service there is not Ray$"):
        reach(at(server), never)
    answer.join()


def test_who_never_answers_is_given_up(server: socket.socket) -> None:
    with pytest.raises(InvalidInput, match=r"; got 127\.0\.0\.1:\d+: timed out$"):
        reach(at(server), never)


def test_or_before_if_the_run_is_asked_to_stop(server: socket.socket) -> None:
    with pytest.raises(EngineError, match=r"^asked to stop while 127\.0\.0\.1:\d+ did not answer$"):
        reach(at(server), lambda: True)


def test_nobody_at_the_address_is_said_at_once(server: socket.socket) -> None:
    address = at(server)
    server.close()
    with pytest.raises(InvalidInput, match="Connection refused"):
        reach(address, never)
