"""Kernels compiled beside other work, in a process of their own: what one process compiles, all others find."""

import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from holdfast.runs.composition import check
from holdfast.runs.plan import fill_defaults
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.studies.pool import limit_threads


@contextmanager
def preparing(specs: Sequence[Spec]) -> Iterator[None]:
    """Compile meanwhile what these runs need, where nothing is compiled yet: rules first, then the rest."""
    from holdfast.kernels.loading import is_first_compilation

    if not is_first_compilation():
        yield
        return
    beside = multiprocessing.get_context("spawn").Process(target=_beside, args=[specs], daemon=True)
    beside.start()
    try:
        yield
    finally:
        beside.terminate()
        beside.join()


def _beside(specs: Sequence[Spec]) -> None:
    limit_threads()
    prepare(specs)


def prepare(specs: Sequence[Spec]) -> None:
    """Try what needs compiled code once. Failures are reported later, by the runs themselves."""
    for spec in {spec.method: spec for spec in specs}.values():
        with suppress(Exception):
            check(fill_defaults(replace(spec, method=spec.method.with_penalty(1.0), rate=1e-9)))
    for spec in {spec.attack: spec for spec in reversed(specs)}.values():
        with suppress(Exception):
            run(replace(spec, rounds=1))
