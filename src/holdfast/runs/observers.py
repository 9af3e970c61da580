"""Callbacks of a run, progress bars among them, and what stops a run."""

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from holdfast.runs.metrics import Evaluation
from holdfast.runs.spec import Spec

logger = logging.getLogger(__name__)


class Watcher(Protocol):
    """Someone who looks on."""

    def started(self, spec: Spec, round: int) -> None: ...
    def played(self, round: int) -> None: ...
    def evaluated(self, evaluation: Evaluation) -> None: ...
    def warned(self, text: str) -> None: ...


class Unwatched:
    """Nobody looks on; warnings are logged."""

    def started(self, spec: Spec, round: int) -> None: ...
    def played(self, round: int) -> None: ...
    def evaluated(self, evaluation: Evaluation) -> None: ...

    def warned(self, text: str) -> None:
        logger.warning(text)


class Unheard(Unwatched):
    """Nobody is told warnings; results keep them."""

    def warned(self, text: str) -> None: ...


class Interrupted(Exception):
    """The run was asked to stop, or its workers could not go on; its folder, if it has one, can be resumed."""

    def __init__(self, round: int, folder: Path | None, why: str = "") -> None:
        super().__init__(f"stopped after round {round}{why}")
        self.round, self.folder = round, folder
        self.lost = bool(why)
        """Whether it was for want of workers: then it may be resumed with fewer processes, or in one."""


class Bar:
    """A bar while it is entered."""

    def __init__(self, columns: Sequence[ProgressColumn], console: Console | None, disable: bool = False) -> None:
        self.progress = Progress(*columns, console=console, transient=True, disable=disable)

    def __enter__(self) -> Self:
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()


class RunsBar(Bar):
    """How many runs are over, how long the rest will take, and what is running."""

    def __init__(self, at_once: int | None, console: Console | None = None, disable: bool = False) -> None:
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
        self.waiting: list[Any] = []

    def began(self, names: Sequence[str]) -> None:
        """Show what will be run, in the order in which it will be."""
        self.waiting = list(names)
        self.task = self.progress.add_task("", total=len(self.waiting), running=self._running())

    def ended(self, name: str) -> None:
        """Count one more run."""
        self.waiting.remove(name)
        self.progress.update(self.task, advance=1, running=self._running())

    def _running(self) -> str:
        """Return the names of what runs: runs begin in order, so many at once."""
        return "; ".join(self.waiting[: self.at_once])


class RoundsBar(Bar):
    """A watcher: a bar with the newest score, rounds per second and the time left."""

    def __init__(self, console: Console | None = None) -> None:
        columns = (
            TextColumn("round"),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[news]}"),
            TextColumn("{task.fields[speed]:.0f} rounds/s"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
        )
        super().__init__(columns, console)

    def started(self, spec: Spec, round: int) -> None:
        self.first, self.begun = round, monotonic()
        self.task = self.progress.add_task("", total=spec.rounds, completed=round, news="", speed=0.0)

    def played(self, round: int) -> None:
        if round % 25 == 0:
            speed = (round - self.first) / max(monotonic() - self.begun, 1e-9)
            self.progress.update(self.task, completed=round, speed=speed)

    def evaluated(self, evaluation: Evaluation) -> None:
        name, value = next(iter(evaluation.measured.items()), ("loss", evaluation.loss))
        self.progress.update(self.task, news=f"{name} {value:.4g}")

    def warned(self, text: str) -> None:
        self.progress.console.print(f"warning: {text}", markup=False, soft_wrap=True)
