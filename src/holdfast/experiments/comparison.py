"""Many runs at once, spread over the cores."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import Any

from threadpoolctl import threadpool_limits

from holdfast import kernels
from holdfast.errors import InvalidInput
from holdfast.experiments.assembly import assemble
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.result import Result
from holdfast.experiments.run import run
from holdfast.experiments.spec import Spec


def grid(base: Spec, methods: Iterable[str], attacks: Iterable[str], partitions: Iterable[str]) -> list[Spec]:
    """Return one spec for each combination; without an attack nobody is Byzantine."""
    truthful = replace(base, attack="none", byzantine=0, liars=None)
    return [
        replace(truthful if attack == "none" else base, method=method, attack=attack, partition=partition)
        for partition, attack, method in product(partitions, attacks, methods)
    ]


def compare(
    specs: Sequence[Spec], jobs: int | None = None, finished: Callable[[Result, int], None] = lambda *_: None
) -> list[Result]:
    """Run all specs and return their results in order; equal runs are run once.

    `finished` is told each result as it comes, and how many there will be.
    """
    if not specs:
        raise InvalidInput("a comparison needs at least one run; got none")
    if any(spec.engine != "simulated" for spec in specs):
        raise InvalidInput("a comparison spreads its runs over the cores itself, with engine simulated; got another")
    plain = [settled(essence(resolved(spec))) for spec in specs]
    different = list(dict.fromkeys(plain))
    results: dict[Spec, Result] = {}

    def arrived(result: Result) -> None:
        results[result.spec] = result
        finished(result, len(different))

    play(different, jobs, arrived)
    return [
        replace(results[ran], spec=replace(resolved(asked), penalty=ran.penalty, rate=ran.rate))
        for ran, asked in zip(plain, specs, strict=True)
    ]


Work = Callable[[], object]
"""Something to do in another process; whatever it returns is left there."""


def play(
    specs: Sequence[Spec], jobs: int | None, arrived: Callable[[Result], None], beside: Sequence[Work] = ()
) -> None:
    """Run resolved specs in this order, spread over processes of one thread each; tell each result as it comes.

    With one job they run strictly one after another. Work `beside` them is begun first.
    """
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"jobs must be at least 1; got {jobs}")
    for spec in dict.fromkeys(replace(spec, seed=0) for spec in specs):
        assemble(spec)  # what cannot work is said before the first run begins
    with _pool(min(jobs or os.cpu_count() or 1, len(specs) + len(beside))) as pool:
        with _inheriting_no_interrupt():
            others: set[Future[Any]] = {pool.submit(_do, work) for work in beside}
            running: set[Future[Any]] = others | {pool.submit(run, spec) for spec in specs}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    if future not in others:
                        arrived(result)
        except BaseException:
            _end(pool)
            raise


def _do(work: Work) -> None:
    work()


def essence(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters."""
    if spec.recipe.crew == "nobody lies":
        return replace(spec, attack="none", byzantine=0, declared=0, liars=())
    return spec


def _pool(processes: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_settle)


def _settle() -> None:
    """Give each process one thread: the runs themselves fill the cores. It ends when its parent does."""
    threadpool_limits(1)
    kernels.set_threads(1)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End this process once its parent was killed, by whom it would wait for work for ever."""
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


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes at once; the executor has no public way to do so before Python 3.14."""
    for process in list((pool._processes or {}).values()):
        process.terminate()
