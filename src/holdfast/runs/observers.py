"""Callbacks of a run, progress bars among them, and the exception of a run that was stopped."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:  # rich is loaded when a bar is made
    from rich.console import Console
    from rich.progress import ProgressColumn

    from holdfast.runs.metrics import Evaluation
    from holdfast.runs.spec import Spec

logger = logging.getLogger(__name__)


class Observer(Protocol):
    """Run callbacks."""

    def start(self, spec: "Spec", round: int) -> None:
        """Called once, before the rounds after `round` are played: 0 in a new run."""

    def count(self, round: int) -> None:
        """Called when a round is over."""

    def show(self, evaluation: "Evaluation") -> None:
        """Called with each evaluation."""

    def warn(self, text: str) -> None:
        """Called with a warning; the run continues."""


class LoggingObserver:
    """Logs warnings and ignores all else."""

    def start(self, spec: "Spec", round: int) -> None: ...
    def count(self, round: int) -> None: ...
    def show(self, evaluation: "Evaluation") -> None: ...

    def warn(self, text: str) -> None:
        logger.warning(text)


class SilentObserver(LoggingObserver):
    """Ignores warnings too; the result of the run holds them."""

    def warn(self, text: str) -> None: ...


class Interrupted(Exception):
    """The run was asked to stop, or lost its workers; its folder, if there is one, can be resumed."""

    def __init__(self, round: int, folder: Path | None, why: str = "") -> None:
        super().__init__(f"stopped after round {round}{why}")
        self.round, self.folder = round, folder
        self.lost = bool(why)
        """Whether workers were lost: the run may then be resumed with fewer processes, or in one."""


class Bar:
    """A progress bar while it is entered, on a terminal or in a notebook."""

    def __init__(self, columns: "Sequence[ProgressColumn]", console: "Console | None", disable: bool) -> None:
        from rich.progress import Progress

        self.progress = Progress(*columns, console=console, transient=True, disable=disable)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()


class RunsBar(Bar):
    """A bar over many runs: the number of finished runs, the time left and the names of what is running."""

    def __init__(self, at_once: int | None, console: "Console | None" = None, disable: bool = False) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("runs"),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[running]}"),
        )
        super().__init__(columns, console, disable)
        self.at_once = at_once or os.cpu_count() or 1
        self.waiting: list[str] = []

    def start(self, names: Sequence[str]) -> None:
        """Show the runs to come, in their order."""
        self.waiting = list(names)
        self.task = self.progress.add_task("", total=len(self.waiting), running=self._running())

    def count(self, name: str) -> None:
        """Count one more finished run."""
        self.waiting.remove(name)
        self.progress.update(self.task, advance=1, running=self._running())

    def _running(self) -> str:
        """Return the names of what runs: runs begin in order, `at_once` at a time."""
        return "; ".join(self.waiting[: self.at_once])


class RoundsBar(Bar):
    """An observer: a bar with the newest score, rounds per second and the time left."""

    def __init__(self, console: "Console | None" = None, disable: bool = False) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("round"),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[news]}"),
            TextColumn("{task.fields[speed]:.0f} rounds/s"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
        )
        super().__init__(columns, console, disable)

    def start(self, spec: "Spec", round: int) -> None:
        self.rounds, self.first, self.since = spec.rounds, round, monotonic()
        self.task = self.progress.add_task("", total=spec.rounds, completed=round, news="", speed=0.0)

    def measure_speed(self, round: int) -> float:
        """Return the rounds per second until this round."""
        return (round - self.first) / max(monotonic() - self.since, 1e-9)

    def count(self, round: int) -> None:
        if round % 25 == 0:
            self.progress.update(self.task, completed=round, speed=self.measure_speed(round))

    def show(self, evaluation: "Evaluation") -> None:
        name, value = next(iter(evaluation.measured.items()), ("loss", evaluation.loss))
        self.progress.update(self.task, news=f"{name} {value:.4g}")

    def warn(self, text: str) -> None:
        self.progress.console.print(f"warning: {text}", markup=False, soft_wrap=True)
