"""Numbers that the rule has found, in one file of an arena's folder: a resumed arena reads them there."""

import json
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Protocol

from holdfast._version import __version__
from holdfast.aggregators import Mean
from holdfast.errors import in_one_line
from holdfast.files import write_atomic
from holdfast.methods import AUTO, Aggregated
from holdfast.runs.auto import is_auto, resolve_auto
from holdfast.runs.folder.sealed import seal, unseal
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, model_text, require_number
from holdfast.studies.pool import failure, require_portable, result, spread


class Numbers(NamedTuple):
    """What stands for `auto` in a spec; None for what it does not have."""

    penalty: float | None
    rate: float | None


class NumbersKeeper(Protocol):
    """Where numbers that were found are kept."""

    def find(self, specs: Iterable[Spec], /) -> dict[Spec, Numbers]: ...
    def keep(self, found: Mapping[Spec, Numbers], /) -> None: ...


@dataclass(frozen=True)
class NumbersFile:
    """One file of numbers. They count only for the same spec, data, code from outside and version, unharmed."""

    path: Path
    data_sha256: Callable[[Spec], str]

    def find(self, specs: Iterable[Spec]) -> dict[Spec, Numbers]:
        """Return the numbers of those specs that are here."""
        here = self._read()
        keys = {spec: self._key(spec) for spec in specs} if here else {}
        return {spec: here[key] for spec, key in keys.items() if key in here}

    def keep(self, found: Mapping[Spec, Numbers]) -> None:
        """Add numbers to the file."""
        write_atomic(self.path, seal({"found": self._read() | {self._key(spec): each for spec, each in found.items()}}))

    def _read(self) -> dict[str, Numbers]:
        """Return all numbers by key; none of a file that is torn or of something else, which is written anew."""
        try:
            return {key: Numbers(*each) for key, each in unseal(self.path.read_bytes())["found"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    def _key(self, spec: Spec) -> str:
        about: list[object] = [__version__, self.data_sha256(spec), spec.sources(), spec.to_toml()]
        return sha256(json.dumps(about).encode()).hexdigest()


logger = logging.getLogger(__name__)

LONG = 5.0
"""Seconds from which on work counts as long: other processes need one or two to start."""
Group = list[Spec]
"""Specs of the same problem."""
Answers = Sequence[Numbers | str]
"""For each spec of a group its numbers, or why there are none."""


def identify_problem(spec: Spec) -> tuple[str | int, ...]:
    """Return what tells a spec's problem from others: what shares it is found and run together, and builds it once."""
    missing = spec.q if spec.dealt == "honest" else 0
    return data_text(spec.data), model_text(spec.model), spec.partition_text, spec.workers, missing, spec.seed


def find_question(spec: Spec) -> Spec | None:
    """Return the spec that the rule is asked about in place of a resolved one; None if nothing is left to it."""
    if not is_auto(spec):
        return None
    if spec.method.penalised:
        return spec
    # the rate by rule is the same for all of them, so that it is found once
    return replace(spec, method=Aggregated(Mean()), declared=0, momentum=0.0)


def with_numbers(spec: Spec, numbers: Numbers) -> Spec:
    """Return a spec with these numbers for what it leaves to the rule."""
    method = spec.method if numbers.penalty is None else spec.method.with_penalty(numbers.penalty)
    return replace(spec, method=method, rate=numbers.rate if spec.rate == AUTO else spec.rate)


def find_numbers(asked: Iterable[Spec], jobs: int | None, kept: NumbersKeeper | None) -> dict[Spec, Numbers | str]:
    """Return for every resolved spec the numbers that the rule finds, or why it finds none.

    Specs of the same problem must follow each other. What is kept already is not found again.
    """
    specs = list(dict.fromkeys(asked))
    found: dict[Spec, Numbers | str] = dict(kept.find(specs)) if kept else {}
    groups = [list(group) for _, group in groupby((each for each in specs if each not in found), identify_problem)]
    at_once = jobs or os.cpu_count() or 1

    def take(group: Group, answers: Answers) -> None:
        found.update(zip(group, answers, strict=True))
        numbers = {spec: each for spec in group if isinstance(each := found[spec], Numbers)}
        if kept and numbers:
            kept.keep(numbers)

    begun = monotonic()
    for done, group in enumerate(groups):
        left = groups[done:]
        if _take_long(left, done, monotonic() - begun):
            logger.info("finding step sizes for %d problem%s", len(left), "s" if len(left) > 1 else "")
            _find_all(left, at_once, take)
            break
        take(group, _answers(group))
    return found


def _take_long(groups: Sequence[Group], done: int, seconds: float) -> bool:
    """Return whether these will take long: networks do, others as those that are done did."""
    networks = any(group[0].model is not None for group in groups)
    return networks or (done > 0 and seconds / done * len(groups) > LONG)


def _find_all(groups: Sequence[Group], at_once: int, arrived: Callable[[Group, Answers], None]) -> None:
    """Find the numbers of all groups, several at once where there are several."""
    if min(at_once, len(groups)) == 1:
        for group in groups:
            arrived(group, _answers(group))
        return
    for group in groups:
        for spec in group:
            require_portable(spec)

    def finish(number: int, future: "Future[Any]") -> None:
        group, why = groups[number], failure(future)
        arrived(group, [why] * len(group) if why else result(future))

    spread([partial(_answers, group) for group in groups], at_once, finish)


def _answers(group: Group) -> Answers:
    return [_answer(spec) for spec in group]


def _answer(spec: Spec) -> Numbers | str:
    try:
        found = resolve_auto(spec)
    except Exception as error:  # a part from outside, which the rule asks too
        return in_one_line(error)
    rate = None if found.rate is None else require_number(found.rate)
    penalty = None if found.method.penalty is None else require_number(found.method.penalty)
    return Numbers(penalty, rate)
