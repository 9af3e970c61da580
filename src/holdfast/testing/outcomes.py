"""The outcome of a check: which laws hold for a part, and counterexamples to the others."""

from dataclasses import asdict, dataclass
from textwrap import indent

from holdfast.typing import Json


@dataclass(frozen=True)
class Law:
    """Whether a law holds for a part, on the inputs tried."""

    name: str
    says: str
    """The law, in one sentence."""
    holds: bool | None
    """None where the law is of another family, or could not be tried; `note` says which."""
    counterexample: str | None = None
    """The smallest input found that breaks it, and what came out."""
    required: bool = True
    """False for a promise that not every part of the kind makes: robustness, for a rule without a declared number."""
    note: str | None = None

    def __str__(self) -> str:
        if self.holds is None:
            return f"-       {self.name}: {self.note}"
        verdict = "holds" if self.holds else "BROKEN" if self.required else "no"
        return f"{verdict:7} {self.name}: {self.says}" + ("" if self.holds else f"\n        {self.counterexample}")


@dataclass(frozen=True)
class Report:
    """The outcome of every law of a part's kind."""

    part: str
    kind: str
    laws: tuple[Law, ...]

    @property
    def broken(self) -> tuple[Law, ...]:
        """The laws that must hold and do not."""
        return tuple(law for law in self.laws if law.required and law.holds is False)

    @property
    def holds(self) -> bool:
        """Whether every law holds that must."""
        return not self.broken

    def __getitem__(self, name: str) -> Law:
        return next(law for law in self.laws if law.name == name)

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.kind} {self.part}", *(f"  {line}" for law in self.laws for line in str(law).splitlines())]
        )

    def to_json(self) -> Json:
        """Return what `holdfast check --json` prints."""
        laws = [{"law" if key == "name" else key: value for key, value in asdict(law).items()} for law in self.laws]
        return {"part": self.part, "kind": self.kind, "holds": self.holds, "laws": laws}


class LawBroken(AssertionError):
    """A part breaks laws of its kind. The message lists them with the smallest counterexamples found."""

    def __init__(self, report: Report) -> None:
        self.report = report
        broken = "\n".join(indent(str(law), "  ") for law in report.broken)
        super().__init__(
            f"{report.kind} {report.part} breaks {len(report.broken)} of {len(report.laws)} laws\n{broken}"
        )
