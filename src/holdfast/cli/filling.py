"""A table that fills while runs end: one row per attack, one column per method."""

from collections.abc import Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table

from holdfast.cli.console import Speaker
from holdfast.experiments.spec import Spec


class Filling:
    """Shows the table on a terminal while it is entered, and nothing elsewhere."""

    def __init__(self, speaker: Speaker, specs: Sequence[Spec]) -> None:
        self.speaker = speaker
        self.methods = list(dict.fromkeys(spec.method_name for spec in specs))
        self.attacks = list(dict.fromkeys(spec.attack_text for spec in specs))
        self.cells: dict[tuple[str, str], str] = {}
        self.spinner = Spinner("dots")

    def __enter__(self) -> Self:
        self.begun = monotonic()
        if self.speaker.live:
            shown: dict[str, Any] = {"console": self.speaker.console, "transient": True, "refresh_per_second": 8}
            self.live = Live(get_renderable=self.table, **shown)
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.speaker.live:
            self.live.stop()

    def ended(self, spec: Spec, cell: str) -> None:
        """Fill a cell."""
        self.cells[spec.attack_text, spec.method_name] = cell

    def table(self) -> Table:
        """Return the table as it is now."""
        done, of = len(self.cells), len(self.methods) * len(self.attacks)
        said = (
            f"{done} of {of} runs, {monotonic() - self.begun:.0f} s" if done else "preparing: compiling, on first use"
        )
        table = Table(box=box.SIMPLE_HEAD, caption=said, caption_justify="left")
        table.add_column("attack")
        for method in self.methods:
            table.add_column(method.replace("-", "-\n"), justify="right", min_width=8)
        for attack in self.attacks:
            table.add_row(attack, *(self.cells.get((attack, method), self.spinner) for method in self.methods))
        return table
