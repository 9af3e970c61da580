"""What a process measured, and what several of them did."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Record:
    """Numbers by name, such as `rules/20x7850/median/ours` in seconds, and what there is to say about some."""

    numbers: dict[str, float] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    quick: bool
    process: int
    """Which of the processes this is, from 1; the first may measure what need not be repeated."""


class Measured:
    """What several processes recorded, by name and then by process."""

    def __init__(self) -> None:
        self.numbers: dict[str, dict[int, float]] = {}
        self.remarks: dict[str, str] = {}

    def add(self, process: int, record: Record) -> None:
        for name, number in record.numbers.items():
            self.numbers.setdefault(name, {})[process] = number
        if process == 1:
            self.remarks |= record.remarks

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin so, in the order of measurement."""
        return [name for name in self.numbers if name.startswith(prefix)]

    def typical(self, name: str | None) -> float | None:
        """Return the median over the processes; None if there is no such number."""
        return median(self.numbers[name].values()) if name in self.numbers else None

    def ratio(self, name: str | None, other: str | None) -> float | None:
        """Return the median over the processes of the ratio of two numbers of one process."""
        above, below = self.numbers.get(name or "", {}), self.numbers.get(other or "", {})
        ratios = [above[process] / below[process] for process in above.keys() & below.keys()]
        return median(ratios) if ratios else None

    def least(self, names: list[str]) -> str | None:
        """Return which of these numbers is the smallest."""
        return min(names, key=lambda name: median(self.numbers[name].values()), default=None)
