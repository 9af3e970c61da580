"""The preset `compare`: runs side by side, in one table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from holdfast.engines.engine_options import InProcess
from holdfast.errors import InvalidInput
from holdfast.runs.observers import RunsBar
from holdfast.runs.plan import fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_hashable
from holdfast.studies.study import Arrived, Draft, Keeper, Study
from holdfast.studies.table import Comparison


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

    `prepared` is called before the first run with the specs, numbers found by rule filled in. `finished` is called with
    each result and the name of its run. `progress` shows a bar. With a store, the runs that it holds are not run again,
    and those that end are stored. A run that fails is a result that says why.
    """
    if not specs:
        raise InvalidInput("a comparison needs at least one run; got none")
    if any(spec.engine != InProcess() for spec in specs):
        raise InvalidInput("a comparison spreads its runs over the cores itself, with engine simulated; got another")
    for spec in specs:
        require_hashable("problem", spec.problem)
    drafts = [Draft(spec) for spec in specs]
    names = Comparison(tuple(specs), ()).names()
    ready: dict[Draft, Spec] = {}

    def plan(found: Mapping[Draft, Spec]) -> None:
        ready.update(found)
        prepared([found[draft] for draft in drafts])

    @contextmanager
    def tell(wanted: Sequence[Spec]) -> Iterator[Arrived]:
        called = {ready[draft]: names[draft.spec] for draft in reversed(drafts)}
        with progress if isinstance(progress, RunsBar) else RunsBar(jobs, disable=not progress) as bar:
            bar.start([called[spec] for spec in wanted])

            def arrive(record: Record, new: bool) -> None:
                bar.count(called[record.spec])
                finished(record, called[record.spec])

            yield arrive

    records = Study(jobs, store, telling=tell).play(drafts, planned=plan)
    # a record says what was asked, attacks that its method ignores included
    return Comparison(
        tuple(specs), tuple(replace(records[each], spec=_label(each.spec, ready[each])) for each in drafts)
    )


def _label(asked: Spec, ran: Spec) -> Spec:
    return replace(fill_defaults(asked), method=ran.method, rate=ran.rate)
