"""What a process measured, and what several of them did."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Record:
    """Numbers by name, such as `rules/20x7850/median/ours` in seconds, and what there is to say about some."""

    numbers: dict[str, float] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)


class Measured:
    """The records of several processes."""

    def __init__(self, records: list[Record]) -> None:
        self.numbers: dict[str, list[float]] = {}
        self.remarks: dict[str, str] = {}
        for record in records:
            for name, number in record.numbers.items():
                self.numbers.setdefault(name, []).append(number)
            self.remarks |= record.remarks

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin so, in the order of measurement."""
        return [name for name in self.numbers if name.startswith(prefix)]

    def typical(self, name: str) -> float | None:
        """Return the median over the processes."""
        return median(self.numbers[name]) if name in self.numbers else None

    def ratio(self, name: str, other: str) -> float | None:
        """Return the median over the processes of the ratio of two numbers of one process."""
        if name not in self.numbers or other not in self.numbers:
            return None
        return median(a / b for a, b in zip(self.numbers[name], self.numbers[other], strict=False))

    def least(self, names: list[str]) -> str | None:
        """Return which of these numbers is the smallest."""
        return min(
            (name for name in names if name in self.numbers), key=lambda name: median(self.numbers[name]), default=None
        )
