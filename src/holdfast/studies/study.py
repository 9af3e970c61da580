"""A study: many specs, each different one run once, spread over the cores, stored as it ends, never run again.

`compare`, `arena`, `tune` and `reproduce` are presets: each says which specs to run, and what to make of the records.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple, Protocol

from holdfast.errors import InvalidInput, in_one_line
from holdfast.runs.composition import check, make_setting
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.workbench import SHARED
from holdfast.studies.auto_numbers import NumbersKeeper, find_numbers, find_question, identify_problem, with_numbers
from holdfast.studies.pool import Work, play, require_jobs, require_portable
from holdfast.theory import steps

Arrived = Callable[[Record, bool], None]
"""Is called with each record, and whether its run is new or was stored."""
Telling = Callable[[Sequence[Spec]], AbstractContextManager[Arrived]]
"""Given the runs of a study, returns what to call with each of their records."""


Records = Callable[[Sequence[Spec]], Mapping[Spec, Record]]
"""Runs specs, or knows how they went: `Study.record`."""


class Draft(NamedTuple):
    """A spec whose numbers may be left to the rule; the rate that the rule finds is multiplied by `factor`."""

    spec: Spec
    factor: float = 1.0


class Keeper(Protocol):
    """Where finished runs are stored."""

    def find(self, spec: Spec, /) -> Record | None: ...
    def keep(self, record: Record, /) -> None: ...


def grid(
    base: Spec, methods: Iterable[Any], attacks: Iterable[Any], partitions: Iterable[Any], **others: Iterable[Any]
) -> list[Spec]:
    """Return one spec per combination, also of the values of `others`; without an attack no worker is Byzantine.

    Rules are told as many Byzantine workers without an attack as under one: the first number if there are several.
    So the unattacked runs show what a defence costs when it is not needed.

    >>> [spec.seed for spec in grid(Spec(data="digits"), ["rsa"], ["none"], ["iid"], seed=[0, 1], byzantine=[4, 8])]
    [0, 1]
    """
    wanted: list[Spec] = []
    swept = {name: list(values) for name, values in others.items()}
    told = replace(base, attack=None, byzantine=next(iter(swept.get("byzantine", ())), base.byzantine)).q or None
    for *values, partition, attack, method in product(*swept.values(), partitions, attacks, methods):
        parts = {"method": method, "attack": attack, "partition": partition}
        truthful = {"attack": None, "byzantine": 0} if attack in (None, "none") else {}
        spec = replace(base, **dict(zip(others, values, strict=True)) | parts | truthful)
        if truthful and spec.declared is None:
            spec = replace(spec, declared=told)
        if not truthful or spec not in wanted:
            wanted.append(spec)
    return wanted


@dataclass(frozen=True)
class Study:
    """Where and how the runs of a study are played.

    Without a store nothing is looked for, and records come with their models. `telling` is called with the runs before
    the first one starts.
    """

    jobs: int | None = None
    store: Keeper | None = None
    numbers: NumbersKeeper | None = None
    """Where the numbers found by rule are stored."""
    telling: Telling = lambda _: nullcontext(lambda record, new: None)

    def play(
        self,
        drafts: Iterable[Draft],
        *,
        tolerant: bool = False,
        planned: Callable[[Mapping[Draft, Spec]], None] = lambda _: None,
        beside: Sequence[Work] = (),
    ) -> dict[Draft, Record]:
        """Return the record of every draft. A run that fails is a record that says why.

        A draft that cannot be planned raises an error before anything runs; if `tolerant`, it is a failed record too.
        `planned` is called with the spec of every draft, numbers filled in. The work `beside` the runs starts first.
        """
        require_jobs(self.jobs)
        ready, failures = self._plan(dict.fromkeys(drafts), tolerant)
        planned(ready)
        wanted = list(dict.fromkeys(ready.values()))
        with self.telling(wanted) as arrived:
            records = self._gather(wanted, arrived, beside)
        failed = {draft: Record.failure(draft.spec, why) for draft, why in failures.items()}
        return {draft: records[ready[draft]] if draft in ready else failed[draft] for draft in [*ready, *failed]}

    def record(self, specs: Sequence[Spec], beside: Sequence[Work] = ()) -> dict[Spec, Record]:
        """Return the record of every spec; refuse the study if a run fails."""
        drafts = {Draft(spec): spec for spec in specs}
        records = self.play(drafts, beside=beside)
        for record in records.values():
            if record.failed is not None:
                raise InvalidInput(f"every run of this study must succeed; got {record!r}")
        return {spec: records[draft] for draft, spec in drafts.items()}

    def _plan(self, drafts: Iterable[Draft], tolerant: bool) -> tuple[dict[Draft, Spec], dict[Draft, str]]:
        """Return the spec of each draft with every number filled in, and why others have none.

        Drafts of one problem follow each other, in planning and in play, so that each problem is built once.
        """
        failures: dict[Draft, str] = {}

        @contextmanager
        def failing(draft: Draft) -> Iterator[None]:
            """Let what goes wrong with a draft, as parts from outside may, be its failure."""
            try:
                yield
            except Exception as error:
                if not tolerant:
                    raise
                failures[draft] = in_one_line(error)

        questions: dict[Draft, tuple[Spec, Spec | None]] = {}
        for draft in sorted(drafts, key=lambda draft: identify_problem(draft.spec)):
            with failing(draft):
                spec = drop_ignored(fill_defaults(draft.spec))
                check(spec)
                questions[draft] = spec, find_question(spec)
        answers = find_numbers((each for _, each in questions.values() if each), self.jobs, self.numbers)
        ready: dict[Draft, Spec] = {}
        for draft, (spec, question) in questions.items():
            with failing(draft):
                answer = answers[question] if question else None
                if isinstance(answer, str):
                    raise InvalidInput(answer)
                ready[draft] = _multiply_rate(spec if answer is None else with_numbers(spec, answer), draft.factor)
        return ready, failures

    def _gather(self, specs: Sequence[Spec], arrived: Arrived, beside: Sequence[Work]) -> dict[Spec, Record]:
        """Return the record of every spec: from the store, or run now and stored at once."""
        store = self.store
        records = {spec: record for spec in specs if store and (record := store.find(spec)) is not None}
        for record in records.values():
            arrived(record, False)
        missing = [spec for spec in specs if spec not in records]

        def finish(result: Record) -> None:
            record = records[result.spec] = Record.of(result) if store else result
            if store:
                store.keep(record)
            arrived(record, True)

        def fail(spec: Spec, why: str) -> None:
            records[spec] = Record.failure(spec, why)
            arrived(records[spec], True)

        if missing or beside:
            check_all(missing)
            play(missing, self.jobs, finish, beside, fail)
        return records


def check_all(specs: Iterable[Spec]) -> None:
    """Refuse specs that other processes could not run: each kind of data and partition is dealt once to see."""
    dealt = set()
    for spec in specs:
        require_portable(spec)
        kind = (spec.data, spec.dealing, spec.problem, spec.workers)
        if kind not in dealt:
            dealt.add(kind)
            SHARED.build(spec)
        if spec.schedule in steps.REGISTRY:  # these step sizes depend on the samples
            make_setting(spec, SHARED.build(spec).problem)


def _multiply_rate(spec: Spec, factor: float) -> Spec:
    return spec if factor == 1 else replace(spec, rate=float(f"{require_number(spec.rate) * factor:.3g}"))
