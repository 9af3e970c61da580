"""A run that is stopped on purpose."""

from holdfast.runs.observers import LoggingObserver


class StopAfter(LoggingObserver):
    """Asks to stop after some rounds."""

    def __init__(self, rounds: int) -> None:
        self.rounds, self.round = rounds, 0

    def count(self, round: int) -> None:
        self.round = round

    def __call__(self) -> bool:
        return self.round >= self.rounds
