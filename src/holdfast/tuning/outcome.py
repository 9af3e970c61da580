"""How a search ended: its rungs, the candidate that won, and its accuracy on the test set."""

from dataclasses import dataclass, replace
from typing import Any

from holdfast.experiments.defaults import canonical, resolved
from holdfast.experiments.records import Record
from holdfast.experiments.spec import Spec, require_number
from holdfast.methods import Rsa
from holdfast.tuning.halving import Rung, Trial

Place = tuple[float | None, float | None, float]
"""Norm, lambda and alpha; only RSA has the first two."""


@dataclass(frozen=True)
class Outcome:
    """Everything that `holdfast tune` shows."""

    best: Spec
    """What was asked for, with the best values, on all training data."""
    centres: tuple[Spec, ...]
    """The middle of every norm's grid."""
    rungs: tuple[Rung, ...]
    samples: tuple[int, int]
    """How many samples the workers had during the search, and how many were held back to choose by."""
    final: Record
    """The one run that saw the test set."""

    @property
    def winner(self) -> Trial:
        return self.rungs[-1].trials[0]

    def farthest(self) -> list[Trial]:
        """Return the last trial of every candidate: those of the last rung first, each rung by accuracy."""
        seen: dict[Place, Trial] = {}
        for rung in reversed(self.rungs):
            for trial in rung.trials:
                seen.setdefault(place(trial), trial)
        return list(seen.values())

    def edges(self) -> list[str]:
        """Return which values of the winner are the least or the largest that were tried with its norm."""
        won = place(self.winner)
        tried = [at for trial in self.rungs[0].trials if (at := place(trial))[0] == won[0]]
        return [
            name
            for axis, name in ((1, "lambda"), (2, "alpha"))
            if len(values := sorted({each[axis] or 0.0 for each in tried})) > 1 and won[axis] in (values[0], values[-1])
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
    """Return where in the grid a trial is."""
    method, rate = trial.spec.method, require_number(trial.spec.rate)
    return (method.norm, require_number(method.penalty), rate) if isinstance(method, Rsa) else (None, None, rate)


def chosen(asked: Spec, winner: Spec) -> Spec:
    """Return what was asked for, with the values of the winner."""
    method, won = asked.method, winner.method
    if isinstance(method, Rsa) and isinstance(won, Rsa):
        method = replace(method, norm=won.norm, penalty=won.penalty)
    return replace(asked, method=method, rate=winner.rate)


def last_run(best: Spec) -> Spec:
    """Return the run that measures the winner's test accuracy: it looks at the test set once, at its end."""
    return replace(canonical(resolved(best)), eval_every=best.rounds)


def _values(spec: Spec) -> dict[str, Any]:
    told = spec.to_json()
    return {name: told["method"].get(name) for name in ("norm", "penalty")} | {"rate": spec.rate}
