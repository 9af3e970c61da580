"""A sentence of the paper as something that can turn out false."""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import tomli_w

from holdfast.errors import InvalidInput
from holdfast.studies.paper.claims.criteria import Check
from holdfast.studies.paper.findings import CurveFindings, Findings


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "does not hold"
    UNTESTABLE = "not testable"


@dataclass(frozen=True)
class View:
    """The findings, by figure, panel and curve; and lambda_0 of Theorem 1 by norm."""

    figures: Mapping[str, Findings]
    lambda0: Mapping[str, float]

    def at(self, figure: str, panel: str, label: str) -> CurveFindings:
        """Return one curve."""
        found = next(each for each in self.figures[figure].panels if each.panel.title == panel)
        return found.curve(label)

    def all(self, figure: str, panel: str) -> Sequence[CurveFindings]:
        """Return all curves of a panel."""
        return next(each for each in self.figures[figure].panels if each.panel.title == panel).curves


@dataclass(frozen=True)
class Judged:
    """A claim with what was measured."""

    claim: "Claim"
    verdict: Verdict
    measured: str
    why: str


@dataclass(frozen=True)
class Claim:
    """One assertion of the paper."""

    name: str
    figures: tuple[str, ...]
    """The figures whose runs it needs; it is shown with the first."""
    place: str
    """Where the paper says it."""
    says: str
    """What it says, in our words."""
    criterion: str
    """When that holds."""
    checks: Callable[[View], Sequence[Check]] | None
    """What to compare; all must pass. None if nothing that can be run decides it."""
    untestable: str = ""
    """Why not, then."""

    def judge(self, view: View) -> Judged:
        """Return what the findings say of it."""
        if self.checks is None:
            return Judged(self, Verdict.UNTESTABLE, "", self.untestable)
        checks = self.checks(view)
        failed = [check for check in checks if not check.passed]
        verdict = Verdict.FAILS if failed else Verdict.HOLDS
        why = "; ".join(check.why for check in failed or checks)
        return Judged(self, verdict, "; ".join(dict.fromkeys(text for check in checks for text in check.measured)), why)

    @property
    def timed(self) -> bool:
        """Whether it is about seconds, which another machine or moment may judge differently."""
        return self.figures == ("runtime",)


def to_toml(judged: Iterable[Judged]) -> str:
    """Return the verdicts as a TOML file; those about seconds are left out, another machine may judge otherwise."""
    return tomli_w.dumps(_lasting(judged))


def differences(judged: Iterable[Judged], path: Path) -> list[str]:
    """Return a line for each claim whose verdict is not the one on record."""
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"expected verdicts must be in a readable TOML file; got {path}: {error}") from None
    found = _lasting(judged)
    return [
        f"{name}: {found.get(name, 'not judged')}, on record: {known.get(name, 'nothing')}"
        for name in dict.fromkeys([*known, *found])
        if found.get(name) != known.get(name)
    ]


def _lasting(judged: Iterable[Judged]) -> dict[str, str]:
    """Return the verdicts by claim, without those about seconds."""
    return {each.claim.name: each.verdict.value for each in judged if not each.claim.timed}
