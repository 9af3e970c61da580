"""Many runs: each different one once, spread over the cores, stored as it ends."""

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Protocol

from holdfast.engines.options import InProcess
from holdfast.errors import InvalidInput
from holdfast.runs.auto import Surveys, resolve_auto
from holdfast.runs.composition import check, setting_of
from holdfast.runs.observers import RunsBar
from holdfast.runs.plan import canonical, resolved
from holdfast.runs.problem_building import build_problem
from holdfast.runs.records import Record, Result
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_hashable
from holdfast.studies.pool import Failed, Work, play
from holdfast.studies.table import Comparison
from holdfast.theory import steps


def require_jobs(jobs: int | None) -> None:
    """Refuse a number of processes that could not work."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"jobs must be at least 1; got {jobs}")


def check_all(specs: Iterable[Spec], jobs: int | None) -> None:
    """Refuse specs that cannot be run: each kind of data and partition is dealt once to see."""
    require_jobs(jobs)
    dealt = set()
    for spec in specs:
        check(spec)
        require_portable(spec)
        kind = (spec.data, spec.dealing, spec.problem, spec.workers)
        if kind not in dealt:
            dealt.add(kind)
            build_problem(spec)
        if spec.schedule in steps.REGISTRY:  # these step sizes depend on the samples
            setting_of(spec, build_problem(spec)[1])


def require_portable(spec: Spec) -> None:
    """Refuse parts that other processes could not have; data and problems may be large, and are left to them."""
    for name in ("method", "attack", "partition"):
        try:
            pickle.dumps(getattr(spec, name))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidInput(f"compare sends runs to other processes, which must know {name}; got {error}") from None


Arrived = Callable[[Record, bool], None]
"""Is told each run that is wanted, and whether it is new or was found."""
Gather = Callable[[Sequence[Spec]], Mapping[Spec, Record]]
"""Runs specs, or knows how they went."""


class Keeper(Protocol):
    """Where finished runs are kept."""

    def find(self, spec: Spec, /) -> Record | None: ...
    def keep(self, record: Record, /) -> None: ...


def gather(
    specs: Sequence[Spec],
    jobs: int | None,
    store: Keeper | None,
    arrived: Arrived,
    beside: Sequence[Work] = (),
    failed: Failed | None = None,
) -> dict[Spec, Record]:
    """Return the record of every spec: from the store, or run now and stored at once.

    Without a store nothing is looked for, and runs come with their models. Where nobody is told of runs that `failed`,
    the first one ends all.
    """
    found = {spec: record for spec in specs if store and (record := store.find(spec)) is not None}
    for record in found.values():
        arrived(record, False)
    missing = list(dict.fromkeys(spec for spec in specs if spec not in found))

    def finished(result: Result) -> None:
        record = found[result.spec] = Record.of(result) if store else result
        if store:
            store.keep(record)
        arrived(record, True)

    if missing or beside:
        check_all(missing, jobs)
        play(missing, jobs, finished, beside, failed)
    return found


def grid(
    base: Spec, methods: Iterable[Any], attacks: Iterable[Any], partitions: Iterable[Any], **others: Iterable[Any]
) -> list[Spec]:
    """Return one spec for each combination, also of the values of `others`; without an attack nobody is Byzantine.

    >>> [spec.seed for spec in grid(Spec(data="digits"), ["rsa"], ["none"], ["iid"], seed=[0, 1], byzantine=[4, 8])]
    [0, 1]
    """
    wanted: list[Spec] = []
    for *values, partition, attack, method in product(*others.values(), partitions, attacks, methods):
        parts = {"method": method, "attack": attack, "partition": partition}
        truthful = {"attack": None, "byzantine": 0} if attack in (None, "none") else {}
        spec = replace(base, **dict(zip(others, values, strict=True)) | parts | truthful)
        if not truthful or spec not in wanted:
            wanted.append(spec)
    return wanted


def compare(
    specs: Sequence[Spec],
    jobs: int | None = None,
    finished: Callable[[Any, str], None] = lambda *_: None,
    *,
    prepared: Callable[[Sequence[Spec]], None] = lambda _: None,
    store: Keeper | None = None,
    progress: bool | RunsBar = False,
) -> Comparison:
    """Run all specs and return their results in order, as a table; equal runs are run once.

    `prepared` is told before the first run what is run for each spec, with the numbers that a rule found; `finished`
    each result as it comes, and what it is called. `progress` shows a bar. With a store, what it
    holds is not run again and what ends is kept. A run that fails is a result that says why.
    """
    if not specs:
        raise InvalidInput("a comparison needs at least one run; got none")
    if any(spec.engine != InProcess() for spec in specs):
        raise InvalidInput("a comparison spreads its runs over the cores itself, with engine simulated; got another")
    require_jobs(jobs)
    for spec in specs:
        require_hashable("problem", spec.problem)
    names = Comparison(tuple(specs), ()).names()
    surveys = Surveys()
    plain = [resolve_auto(canonical(resolved(spec)), surveys) for spec in specs]
    prepared(plain)
    called = {ran: names[asked] for ran, asked in zip(reversed(plain), reversed(specs), strict=True)}
    different = list(dict.fromkeys(plain))
    found: dict[Spec, Record] = {}
    with progress if isinstance(progress, RunsBar) else RunsBar(jobs, disable=not progress) as bar:
        bar.start([called[spec] for spec in different])

        def arrived(record: Record) -> None:
            found[record.spec] = record
            bar.count(called[record.spec])
            finished(record, called[record.spec])

        def failed(spec: Spec, why: str) -> None:
            arrived(Record(spec, (), 0, None, None, 0.0, 0.0, failed=why))

        gather(different, jobs, store, lambda record, _: arrived(record), failed=failed)
    return Comparison(
        tuple(specs),
        tuple(
            replace(found[ran], spec=replace(resolved(asked), method=ran.method, rate=ran.rate))
            for ran, asked in zip(plain, specs, strict=True)
        ),
    )
