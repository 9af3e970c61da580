"""Many runs beside each other: every combination of some values, each different one run once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from holdfast.engines.options import InProcess
from holdfast.errors import InvalidInput
from holdfast.experiments.automatic import Surveys, resolve_auto
from holdfast.experiments.bars import RunsBar
from holdfast.experiments.checking import require_jobs
from holdfast.experiments.compared import Comparison
from holdfast.experiments.defaults import canonical, resolved
from holdfast.experiments.gathering import Keeper, gather
from holdfast.experiments.given import require_hashable
from holdfast.experiments.records import Record
from holdfast.experiments.spec import Spec


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
        bar.began([called[spec] for spec in different])

        def arrived(record: Record) -> None:
            found[record.spec] = record
            bar.ended(called[record.spec])
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
