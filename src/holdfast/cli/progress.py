"""How a run shows itself: a live line on a terminal, plain lines elsewhere."""

from time import monotonic
from types import TracebackType
from typing import Protocol, Self

from holdfast.cli.console import Speaker
from holdfast.runs.metrics import Evaluation
from holdfast.runs.observers import RoundsBar, Watcher
from holdfast.runs.spec import Spec


class EnteredWatcher(Watcher, Protocol):
    """A watcher that shows something while it is entered."""

    speaker: Speaker

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


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
        self.speaker.news(
            f"round {evaluation.round}/{self.rounds}  {text(evaluation)}  {speed:.0f} rounds/s  {left:.0f} s left"
        )

    def warned(self, text: str) -> None:
        self.speaker.say(f"warning: {text}")


class LiveWatcher(RoundsBar):
    """A bar, and warnings whose escapes a terminal does not obey."""

    def __init__(self, speaker: Speaker) -> None:
        super().__init__(speaker.console)
        self.speaker = speaker

    def warned(self, text: str) -> None:
        self.speaker.say(f"warning: {text}")


def watcher(speaker: Speaker) -> EnteredWatcher:
    """Return the watcher that fits where the speaker writes."""
    return LiveWatcher(speaker) if speaker.live else PlainWatcher(speaker)
