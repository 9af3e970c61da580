"""How a search ended: its rungs, the candidate that won, and what that is worth on the test set."""

from dataclasses import dataclass, replace
from math import isinf
from typing import Any

from holdfast.experiments.comparison import essence
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import Spec, number
from holdfast.reproduction.records import Record
from holdfast.tuning.halving import Rung, Trial

Place = tuple[float, float, float]
"""Norm, lambda and alpha."""


@dataclass(frozen=True)
class Outcome:
    """Everything that `holdfast tune` tells."""

    best: Spec
    """What was asked for, with the best values: all training data, as `holdfast run` would have it."""
    centres: tuple[Spec, ...]
    """The middle of every norm's grid."""
    rungs: tuple[Rung, ...]
    samples: tuple[int, int]
    """How many samples the workers of the search had, and how many it was judged by."""
    final: Record
    """The one run that saw the test set."""

    @property
    def winner(self) -> Trial:
        return self.rungs[-1].trials[0]

    def farthest(self) -> list[Trial]:
        """Return every candidate once, where it got to: those of the last rung first, each rung by accuracy."""
        seen: dict[Place, Trial] = {}
        for rung in reversed(self.rungs):
            for trial in rung.trials:
                seen.setdefault(place(trial), trial)
        return list(seen.values())

    def edges(self) -> list[str]:
        """Return which values of the winner are the least or the largest that were tried with its norm."""
        tried = [place(trial) for trial in self.rungs[0].trials if trial.spec.norm == self.winner.spec.norm]
        won = place(self.winner)
        return [
            name
            for axis, name in ((1, "lambda"), (2, "alpha"))
            if len(values := {each[axis] for each in tried}) > 1 and won[axis] in (min(values), max(values))
        ]

    def to_json(self, command: str) -> dict[str, Any]:
        """Return what `holdfast tune --json` prints."""
        last = self.final.last
        return {
            "best": _values(self.best),
            "validation_accuracy": self.winner.accuracy,
            "test_accuracy": last.accuracy if last else None,
            "diverged": self.final.diverged,
            "training_samples": self.samples[0],
            "validation_samples": self.samples[1],
            "edges": self.edges(),
            "centres": [_values(spec) for spec in self.centres],
            "rungs": [
                {
                    "rounds": rung.rounds,
                    "trials": [_values(trial.spec) | {"accuracy": trial.accuracy} for trial in rung.trials],
                }
                for rung in self.rungs
            ],
            "command": command,
        }


def place(trial: Trial) -> Place:
    """Return where in the grid a trial stands."""
    return trial.spec.norm, number(trial.spec.penalty), number(trial.spec.rate)


def chosen(asked: Spec, winner: Spec) -> Spec:
    """Return what was asked for, with the values of the winner."""
    return replace(asked, norm=winner.norm, penalty=winner.penalty, rate=winner.rate)


def last_run(best: Spec) -> Spec:
    """Return the run that tells the winner's test accuracy: it looks at the test set at its end, and only then."""
    return replace(essence(resolved(best)), eval_every=best.rounds)


def _values(spec: Spec) -> dict[str, Any]:
    return {"norm": "inf" if isinf(spec.norm) else spec.norm, "penalty": spec.penalty, "rate": spec.rate}
