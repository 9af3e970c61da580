"""Runs, and other work, in other processes, one thread each: they fill the cores themselves."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any

from pebble import ProcessExpired, ProcessPool
from threadpoolctl import threadpool_limits

from holdfast import kernels
from holdfast.errors import InvalidInput, in_one_line
from holdfast.runs.observers import SilentObserver
from holdfast.runs.records import Result
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

UNGUARDED = 3
"""What a process ends with whose script would start it again and again."""
Work = Callable[[], object]
"""Something to do in another process; whatever it returns is left there."""
Failed = Callable[[Spec, str], None]
"""Called with the spec of a run that failed, and the reason."""
Ended = Callable[[int, "Future[Any]"], None]
"""Called with the number of work that is over, and its future."""


def require_jobs(jobs: int | None) -> None:
    """Refuse a number of processes that could not work."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"jobs must be at least 1; got {jobs}")


def require_portable(spec: Spec) -> None:
    """Refuse parts that cannot be sent to other processes; data and problems may be large, and are not tried."""
    for name in ("method", "attack", "partition"):
        try:
            pickle.dumps(getattr(spec, name))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidInput(f"compare sends runs to other processes, which must know {name}; got {error}") from None


def play(
    specs: Sequence[Spec],
    jobs: int | None,
    arrived: Callable[[Result], None],
    beside: Sequence[Work] = (),
    failed: Failed | None = None,
) -> None:
    """Run resolved specs in this order, spread over processes of one thread each; tell each result as it comes.

    With one job they run strictly one after another. Work `beside` them is begun first. A run that fails ends all,
    unless `failed` is given.
    """

    def finish(number: int, future: "Future[Any]") -> None:
        spec = specs[number - len(beside)] if number >= len(beside) else None
        if failed and spec and (why := failure(future)):
            failed(spec, why)
            return
        found = result(future)
        if spec:
            # the spec that was given: its copy from the other process may not equal it, as NaN does not
            arrived(replace(found, spec=spec))

    others = [partial(_silent, work) for work in beside]
    spread([*others, *(partial(run, spec, None, SilentObserver()) for spec in specs)], jobs, finish)


def spread(work: Sequence[Callable[[], Any]], jobs: int | None, ended: Ended) -> None:
    """Do all work, begun in this order, in processes of one thread each."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # a process of ours that imports the script which asked for it: what it ends with, the parent reports
        raise SystemExit(UNGUARDED)
    with _pool(min(jobs or os.cpu_count() or 1, len(work))) as pool:
        with _inheriting_no_interrupt():
            begun: dict[Future[Any], int] = {pool.schedule(_do, args=[each]): k for k, each in enumerate(work)}
        # Ctrl-C while waiting for futures can leave a lock taken that the pool's threads need to end; not so here
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        for future in begun:
            future.add_done_callback(done.put)
        for _ in range(len(begun)):
            future = done.get()
            ended(begun[future], future)


def _do(work: Callable[[], Any]) -> Any:
    return work()


def _silent(work: Work) -> None:
    work()


def failure(future: "Future[Any]") -> str | None:
    """Return why work failed, in one line; None if it did not, or if no other would do better."""
    match future.exception():
        case None | BrokenProcessPool():
            return None
        case ProcessExpired() as error:
            return None if error.exitcode == UNGUARDED else f"its process ended with status {error.exitcode}"
        case error:
            return in_one_line(error)


def result(future: "Future[Any]") -> Any:
    """Return what came of work; raise what it raised."""
    try:
        return future.result()
    except (ProcessExpired, BrokenProcessPool) as error:
        status = f" with status {error.exitcode}" if isinstance(error, ProcessExpired) else ""
        raise InvalidInput(
            "runs go to other processes, which must be able to start: a script that compares needs "
            f'`if __name__ == "__main__":`; got a process that ended{status}'
        ) from None


@contextmanager
def _pool(processes: int) -> Iterator[ProcessPool]:
    pool = ProcessPool(processes, context=multiprocessing.get_context("spawn"), initializer=limit_threads)
    try:
        yield pool
        pool.close()
    except BaseException:
        pool.stop()  # ends the processes at once
        raise
    finally:
        pool.join()


def limit_threads() -> None:
    """Give this process one thread, and let it end when its parent does."""
    threadpool_limits(1)
    kernels.set_threads(1)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End this process when its parent was killed; else it would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _inheriting_no_interrupt() -> Iterator[None]:
    """Let processes that start meanwhile ignore Ctrl-C: it is for the parent, which ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
