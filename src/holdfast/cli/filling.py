"""A table that fills while runs end: one row per method, with its worst case so far."""

from collections.abc import Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich import box
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table

from holdfast.cli.console import Speaker
from holdfast.runs.spec import Spec


class Filling:
    """Shows the table on a terminal while it is entered, and nothing elsewhere."""

    def __init__(self, speaker: Speaker, specs: Sequence[Spec]) -> None:
        self.speaker, self.runs = speaker, len(specs)
        self.ends: dict[str, dict[str, float]] = {spec.method_name: {} for spec in specs}
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

    def ended(self, spec: Spec, accuracy: float) -> None:
        """Count a run."""
        self.ends[spec.method_name][spec.attack_text] = accuracy

    def table(self) -> Table:
        """Return the table as it is now."""
        done = sum(map(len, self.ends.values()))
        said = f"{done} of {self.runs} runs, {monotonic() - self.begun:.0f} s"
        table = Table(box=box.SIMPLE_HEAD, caption=said if done else "preparing", caption_justify="left")
        for column, name in enumerate(("method", "runs", "worst case so far", "under")):
            table.add_column(name, justify="right" if column in (1, 2) else "left")
        for method, ends in self.ends.items():
            worst = min(ends, key=ends.__getitem__, default=None)
            found = (self.spinner, "") if worst is None else (f"{ends[worst]:.3f}", worst)
            table.add_row(method, str(len(ends)), *found)
        return table
