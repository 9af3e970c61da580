"""Laws: how they are stated, and the search for counterexamples."""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, reject, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from numpy.typing import ArrayLike

from holdfast.errors import InvalidInput
from holdfast.testing.outcomes import Law, LawBroken, Report

Inputs = Callable[[Any], st.SearchStrategy[Any]]
"""From a part to the inputs on which a law is tried; a declared number needs enough rows."""

EXAMPLES = 60
SECONDS = 5.0
LEAST = 10
"""The least number of inputs, however long they take: the first ones may have to compile."""
REFUSED = 50
"""The search ends after as many inputs if the part refuses them all."""
QUIET = settings(
    deadline=None,
    database=None,  # nothing is written into the user's folder
    derandomize=True,  # the same part gets the same report
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
    verbosity=Verbosity.quiet,
)


class Broken(Exception):
    """A law does not hold for this input; the message says what came out."""


class NotTried(Exception):
    """A law cannot be tried on this part; the message says why."""


def require(condition: bool, found: str) -> None:
    """Say that a law is broken unless the condition holds."""
    if not condition:
        raise Broken(found)


def require_close(result: ArrayLike, expected: ArrayLike, tolerance: float, what: str) -> None:
    """Say that a law is broken unless both are equal up to `tolerance`, absolute; NaN equals NaN."""
    if not np.allclose(result, expected, rtol=0, atol=tolerance, equal_nan=True):
        raise Broken(f"{what} is {format_value(result)}, not {format_value(expected)}")


def require_same(result: ArrayLike, expected: ArrayLike, what: str) -> None:
    """Say that a law is broken unless both have the same bits; 0.0 and -0.0, or two NaNs, count as the same."""
    if np.shape(result) != np.shape(expected) or not np.array_equal(result, expected, equal_nan=True):
        raise Broken(f"{what} is {format_value(result)}, not {format_value(expected)}")


@dataclass(frozen=True)
class Statement:
    """A law: a function of a part and some inputs that raises where it does not hold."""

    body: Callable[..., None]
    families: tuple[type, ...]
    """The base classes of the parts that it is about; empty for every part of the kind."""
    inputs: dict[str, Inputs]
    required: Callable[[Any], bool]

    @property
    def name(self) -> str:
        return self.body.__name__.replace("_", "-")

    @property
    def says(self) -> str:
        return " ".join((self.body.__doc__ or "").split())

    def try_on(self, part: object, examples: int, seconds: float) -> Law:
        """Return whether the law holds for a part."""
        required = self.required(part)
        if self.families and not isinstance(part, self.families):
            names = " and ".join(family.__name__ for family in self.families)
            return Law(self.name, self.says, None, required=required, note=f"a law of {names} only")
        search = _Search(self, part, seconds)
        try:
            search.run(examples)
        except NotTried as error:
            return Law(self.name, self.says, None, required=required, note=str(error))
        return Law(self.name, self.says, search.counterexample is None, search.counterexample, required)


@dataclass
class _Search:
    """One law, one part: hypothesis looks for inputs that break it and makes them small."""

    law: Statement
    part: object
    seconds: float
    accepted: int = 0
    failed: int = 0
    refused: int = 0
    refusal: str = ""
    counterexample: str | None = None
    skipped: NotTried | None = None
    begun: float = field(default_factory=perf_counter)

    def run(self, examples: int) -> None:
        inputs = st.fixed_dictionaries({name: make(self.part) for name, make in self.law.inputs.items()})
        looking = settings(QUIET, max_examples=examples if self.law.inputs else 1)(given(inputs)(self._try))
        try:
            looking()
        except Exception as error:
            # the last failure is the smallest; a part that answers differently every time makes hypothesis complain
            if self.counterexample is None and not isinstance(error, HypothesisException):
                raise
        if self.skipped is not None:
            raise self.skipped
        if self.counterexample is None and not self.accepted:
            self.counterexample = f"every input was refused: {self.refusal}"

    def _try(self, inputs: dict[str, object]) -> None:
        if self._is_over():
            return
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):  # as a master does: a message may hold anything
                warnings.simplefilter("ignore")
                self.law.body(self.part, **inputs)
        except NotTried as error:
            self.skipped = error
        except InvalidInput as error:  # too few rows, no victim: a part may say what it needs
            self.refused, self.refusal = self.refused + 1, str(error)
        except Exception as error:
            self.failed, self.counterexample = self.failed + 1, _describe(inputs, error)
            raise
        else:
            self.accepted += 1
            return
        reject()

    def _is_over(self) -> bool:
        """Return whether the search ends: no time is left, or all inputs were refused."""
        late = self.accepted + self.failed >= LEAST and perf_counter() - self.begun > self.seconds
        return late or self.skipped is not None or (self.refused >= REFUSED and not self.accepted)


@dataclass(frozen=True)
class Laws:
    """The laws of one kind of part."""

    kind: str
    statements: list[Statement] = field(default_factory=list)

    def law(
        self, *families: type, required: Callable[[Any], bool] = lambda part: True, **inputs: Inputs
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add a law: its name is the function's, its sentence the docstring, its inputs are drawn by name."""

        def add(body: Callable[..., None]) -> Callable[..., None]:
            self.statements.append(Statement(body, families, inputs, required))
            return body

        return add

    def check(
        self,
        part: object,
        raise_on_failure: bool,
        examples: int,
        seconds: float,
        name: str | None = None,
        also_required: bool = False,
    ) -> Report:
        """Return which laws hold for a part; laws share the seconds."""
        tried: list[Law] = []
        until = perf_counter() + seconds
        for index, statement in enumerate(self.statements):
            left = max(until - perf_counter(), 0) / (len(self.statements) - index)
            law = statement.try_on(part, examples, left)
            tried.append(replace(law, required=law.required or also_required))
        report = Report(str(part) if name is None else name, self.kind, tuple(tried))
        if raise_on_failure and not report.holds:
            raise LawBroken(report)
        return report


def format_value(value: object) -> str:
    """Return a value in one line, every digit of it, as long as it is small."""
    if isinstance(value, np.generic):
        value = value.item()
    with np.printoptions(floatmode="unique", threshold=120, linewidth=10_000):
        return re.sub(r"\[ ", "[", " ".join(repr(value).split()))


def _describe(inputs: dict[str, object], error: Exception) -> str:
    given_as = ", ".join(f"{name}={format_value(value)}" for name, value in inputs.items())
    found = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
    return f"{given_as}: {found}" if given_as else found
