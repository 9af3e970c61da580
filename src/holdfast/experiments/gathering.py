"""Many runs: each different one once, spread over the cores, kept as it ends."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from holdfast.experiments.checking import check_all
from holdfast.experiments.pool import Failed, Work, play
from holdfast.experiments.records import Record
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec

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
