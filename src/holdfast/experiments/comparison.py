"""Many runs at once, spread over the cores."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from itertools import product

from threadpoolctl import threadpool_limits

from holdfast import methods
from holdfast.experiments.assembly import assemble
from holdfast.experiments.defaults import resolved
from holdfast.experiments.run import Result, run
from holdfast.experiments.spec import Spec


def grid(base: Spec, methods: Iterable[str], attacks: Iterable[str], partitions: Iterable[str]) -> list[Spec]:
    """Return one spec for each combination; without an attack nobody is Byzantine."""
    return [
        replace(
            base,
            method=method,
            attack=attack,
            partition=partition,
            byzantine=base.byzantine * (attack != "none"),
        )
        for partition, attack, method in product(partitions, attacks, methods)
    ]


def compare(
    specs: Sequence[Spec], jobs: int | None = None, finished: Callable[[Result, int], None] = lambda *_: None
) -> list[Result]:
    """Run all specs and return their results in order; equal runs are run once.

    `finished` is told each result as it comes, and how many there will be.
    """
    plain = [_essence(resolved(spec)) for spec in specs]
    different = list(dict.fromkeys(plain))
    for spec in different:
        assemble(spec)  # what cannot work is said before the first run begins
    results: dict[Spec, Result] = {}
    with _pool(min(jobs or os.cpu_count() or 1, len(different))) as pool:
        running = {pool.submit(run, spec): spec for spec in different}
        try:
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    spec = running.pop(future)
                    results[spec] = future.result()
                    finished(results[spec], len(different))
        except BaseException:
            _abandon(pool, running)
            raise
    return [replace(results[key], spec=spec) for key, spec in zip(plain, map(resolved, specs), strict=True)]


def _essence(spec: Spec) -> Spec:
    """Return the spec without what its method ignores: where nobody lies, no attack matters."""
    if methods.REGISTRY[spec.method].crew == "nobody lies":
        return replace(spec, attack="none", byzantine=0, declared=0, liars=())
    return spec


def _pool(processes: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_settle)


def _settle() -> None:
    """Give each process one thread: the runs themselves fill the cores."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends the others
    threadpool_limits(1)


def _abandon(pool: ProcessPoolExecutor, running: Iterable[Future[Result]]) -> None:
    for future in running:
        future.cancel()
    for process in list((pool._processes or {}).values()):  # the executor has no public way before Python 3.14
        process.terminate()
