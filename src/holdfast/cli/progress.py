"""How a run shows itself: a live line on a terminal, plain lines elsewhere."""

from time import monotonic
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from holdfast.cli.console import Speaker
from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.spec import Spec


def text(evaluation: Evaluation) -> str:
    """Return the numbers of an evaluation in one line."""
    measured = "".join(f"{name} {_number(value)}  " for name, value in evaluation.measured.items())
    return f"{measured}loss {evaluation.loss:.4g}  variance {evaluation.variance:.3g}"


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.4g}"


class PlainWatcher:
    """One line per evaluation."""

    def __init__(self, speaker: Speaker) -> None:
        self.speaker = speaker

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def started(self, spec: Spec, round: int) -> None:
        self.rounds, self.first, self.begun = spec.rounds, round, monotonic()

    def played(self, round: int) -> None: ...

    def evaluated(self, evaluation: Evaluation) -> None:
        speed = (evaluation.round - self.first) / max(monotonic() - self.begun, 1e-9)
        left = (self.rounds - evaluation.round) / speed
        self.speaker.say(
            f"round {evaluation.round}/{self.rounds}  {text(evaluation)}  {speed:.0f} rounds/s  {left:.0f} s left"
        )

    def warned(self, text: str) -> None:
        self.speaker.say(f"warning: {text}")


class LiveWatcher(PlainWatcher):
    """A bar with the newest accuracy, rounds per second and the time left."""

    def __enter__(self) -> Self:
        self.progress = Progress(
            TextColumn("round"),
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[news]}"),
            TextColumn("{task.fields[speed]:.0f} rounds/s"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=self.speaker.console,
            transient=True,
        )
        self.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.progress.stop()

    def started(self, spec: Spec, round: int) -> None:
        super().started(spec, round)
        self.task = self.progress.add_task("", total=spec.rounds, completed=round, news="", speed=0.0)

    def played(self, round: int) -> None:
        if round % 25 == 0:
            speed = (round - self.first) / max(monotonic() - self.begun, 1e-9)
            self.progress.update(self.task, completed=round, speed=speed)

    def evaluated(self, evaluation: Evaluation) -> None:
        name, value = next(iter(evaluation.measured.items()), ("loss", evaluation.loss))
        self.progress.update(self.task, news=f"{name} {_number(value)}")


def watcher(speaker: Speaker) -> PlainWatcher:
    """Return the watcher that fits where the speaker writes."""
    return LiveWatcher(speaker) if speaker.live else PlainWatcher(speaker)
