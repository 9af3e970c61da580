"""Many runs that are kept: each different one once, spread over the cores, stored as it ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from holdfast.experiments.comparison import check_all
from holdfast.experiments.pool import Failed, Work, play
from holdfast.experiments.records import Record
from holdfast.experiments.result import Result
from holdfast.experiments.spec import Spec
from holdfast.experiments.store import Store

Arrived = Callable[[Record, bool], None]
"""Is told each run that is wanted, and whether it is new or was found."""
Gather = Callable[[Sequence[Spec]], Mapping[Spec, Record]]
"""Runs specs, or knows how they went."""


def gather(
    specs: Sequence[Spec],
    jobs: int | None,
    store: Store,
    arrived: Arrived,
    beside: Sequence[Work] = (),
    failed: Failed | None = None,
) -> dict[Spec, Record]:
    """Return the record of every spec: from the store, or run now and stored at once.

    A run that fails ends all of them, unless `failed` is there to be told; it has no record then.
    """
    found = {spec: record for spec in specs if (record := store.find(spec)) is not None}
    for record in found.values():
        arrived(record, False)
    # by text, since data given as an object come back from another process as a copy
    missing = {spec.to_toml(): spec for spec in specs if spec not in found}

    def finished(result: Result) -> None:
        spec = missing[result.spec.to_toml()]
        record = found[spec] = replace(Record.of(result), spec=spec)
        store.keep(record)
        arrived(record, True)

    if missing or beside:
        check_all(missing.values(), jobs)
        play(list(missing.values()), jobs, finished, beside, failed)
    return found
