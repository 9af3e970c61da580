"""Many runs at once, each different one once."""

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from holdfast.engines.options import InProcess
from holdfast.errors import InvalidInput
from holdfast.experiments.automatic import resolve_auto
from holdfast.experiments.building import build_problem
from holdfast.experiments.defaults import canonical, resolved
from holdfast.experiments.parts import check, setting_of
from holdfast.experiments.pool import play
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec, require_hashable
from holdfast.theory import steps


def grid(base: Spec, methods: Iterable[Any], attacks: Iterable[Any], partitions: Iterable[Any]) -> list[Spec]:
    """Return one spec for each combination; without an attack nobody is Byzantine."""
    truthful = replace(base, attack=None, byzantine=0)
    return [
        replace(truthful if attack in (None, "none") else base, method=method, attack=attack, partition=partition)
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
    if any(spec.engine != InProcess() for spec in specs):
        raise InvalidInput("a comparison spreads its runs over the cores itself, with engine simulated; got another")
    for spec in specs:
        require_hashable("problem", spec.problem)
    plain = [resolve_auto(canonical(resolved(spec))) for spec in specs]
    different = list(dict.fromkeys(plain))
    check_all(different, jobs)
    first = dict(reversed([*zip(plain, specs, strict=True)]))
    results: dict[Spec, Result] = {}

    def arrived(result: Result) -> None:
        results[result.spec] = result
        finished(replace(result, asked=first[result.spec]), len(different))

    play(different, jobs, arrived)
    return [
        replace(results[ran], spec=replace(resolved(asked), method=ran.method, rate=ran.rate), asked=asked)
        for ran, asked in zip(plain, specs, strict=True)
    ]


def _require_portable(spec: Spec) -> None:
    """Refuse parts that other processes could not have; data and problems may be large, and are left to them."""
    for name in ("method", "attack", "partition"):
        try:
            pickle.dumps(getattr(spec, name))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidInput(f"compare sends runs to other processes, which must know {name}; got {error}") from None


def check_all(specs: Iterable[Spec], jobs: int | None) -> None:
    """Say what cannot work before the first run begins: each kind of data and partition is dealt once to see."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"jobs must be at least 1; got {jobs}")
    dealt = set()
    for spec in specs:
        check(spec)
        _require_portable(spec)
        kind = (spec.data, spec.partition, spec.problem, spec.workers)
        if kind not in dealt:
            dealt.add(kind)
            build_problem(spec)
        if spec.schedule in steps.REGISTRY:  # these step sizes depend on the samples
            setting_of(spec, build_problem(spec)[1])
