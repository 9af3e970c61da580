"""Something slow that a signal cannot interrupt, done beside the main thread."""

from collections.abc import Callable
from threading import Event, Lock, Thread

from holdfast.errors import EngineError

LOOK = 0.1
"""Seconds between two looks."""


class Aside:
    """A thread that begins something, waits, and ends it. Starting one waits until it has begun.

    Ray puts off Ctrl-C while it starts, and takes SIGTERM for itself, but only in the main thread. The thread lives as
    long as what it began: Ray's processes end with the thread that started them.
    """

    def __init__(
        self, begin: Callable[[], None], end: Callable[[], None], stopping: Callable[[], bool], what: str
    ) -> None:
        self._begin, self._end = begin, end
        self._failed: BaseException | None = None
        self._begun, self._closed, self._deciding = Event(), Event(), Lock()
        self._thread = Thread(target=self._live, daemon=True)
        self._thread.start()
        while not self._begun.wait(LOOK):
            with self._deciding:
                given_up = stopping() and not self._begun.is_set()
                if given_up:
                    self._closed.set()  # what has begun by then is ended at once
            if given_up:
                raise EngineError(f"asked to stop while waiting for {what}")
        if self._failed is not None:
            self.close()
            raise self._failed

    def _live(self) -> None:
        try:
            self._begin()
        except BaseException as error:
            self._failed = error
        with self._deciding:
            self._begun.set()
        self._closed.wait()
        self._end()

    def close(self) -> None:
        """End what was begun, and wait for that."""
        self._closed.set()
        self._thread.join()
