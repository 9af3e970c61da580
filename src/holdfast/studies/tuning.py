"""How a search ended: its rungs, the candidate that won, and how it did on the test set."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import sqrt

from holdfast.methods import Rsa
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.records import Record
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.runs.verdicts import Score, is_guessing, spec_score
from holdfast.studies.halving import Rung, Trial
from holdfast.typing import Json

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
    runs: Mapping[Spec, Record] = field(default_factory=dict)
    """Every run of the search, by its spec."""

    @property
    def winner(self) -> Trial:
        return self.rungs[-1].trials[0]

    @property
    def score(self) -> Score:
        """What candidates were judged by."""
        return spec_score(self.winner.spec)

    @property
    def guessing(self) -> float | None:
        """What guessing gets on the validation samples."""
        return next((record.guessing for record in self.runs.values() if record.guessing is not None), None)

    @property
    def guesses(self) -> bool:
        """Whether the winner is no better than guessing, on the validation samples or on the test set."""
        return self.final.guesses or is_guessing(self.score, self.winner.value, self.guessing)

    @property
    def standard_error(self) -> float | None:
        """Of the winner's share of validation samples that it got right; None where the score is no such share."""
        won = self.winner.value
        if self.score.name != "accuracy" or won is None:
            return None
        return sqrt(won * (1 - won) / self.samples[1])

    def list_ties(self) -> list[Trial]:
        """Return the others of the last rung that the validation samples cannot tell from the winner.

        Within one standard error of it, and within one sample where that is more; equal where there is no such error.
        """
        least = self.score.goodness(self.winner.value)
        if self.standard_error is not None:
            least -= max(self.standard_error, 1 / self.samples[1])
        return [trial for trial in self.rungs[-1].trials[1:] if self.score.goodness(trial.value) >= least]

    def farthest(self) -> list[Trial]:
        """Return the last trial of every candidate: those of the last rung first, each rung by score."""
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

    def to_json(self, command: str) -> Json:
        """Return what `holdfast tune --json` prints."""
        last = self.final.last
        return {
            "best": _values(self.best),
            "score": self.score.name,
            f"validation_{self.score.name}": self.winner.value,
            f"test_{self.score.name}": self.score.of(last),
            "standard_error": self.standard_error,
            "tied": len(self.list_ties()),
            "diverged": self.final.diverged,
            "guesses": self.guesses,
            "training_samples": self.samples[0],
            "validation_samples": self.samples[1],
            "edges": self.edges(),
            "centres": [_values(spec) for spec in self.centres],
            "rungs": [
                {
                    "rounds": rung.rounds,
                    "trials": [
                        _values(trial.spec) | {self.score.name: trial.value, "loss": trial.loss}
                        for trial in rung.trials
                    ],
                }
                for rung in self.rungs
            ],
            "command": command,
        }


def place(trial: Trial) -> Place:
    """Return where in the grid a trial is."""
    method, rate = trial.spec.method, require_number(trial.spec.rate)
    return (method.norm, require_number(method.penalty), rate) if isinstance(method, Rsa) else (None, None, rate)


def apply_winner(asked: Spec, winner: Spec) -> Spec:
    """Return what was asked for, with the values of the winner."""
    method, won = asked.method, winner.method
    if isinstance(method, Rsa):
        method = replace(method, norm=won.norm, penalty=require_number(won.penalty))
    return replace(asked, method=method, rate=winner.rate)


def last_run(best: Spec) -> Spec:
    """Return the run that measures the winner on the test set: it looks at the test set once, at its end."""
    return replace(drop_ignored(fill_defaults(best)), eval_every=best.rounds)


def _values(spec: Spec) -> Json:
    method = spec.to_json()["method"]
    return {name: method.get(name) for name in ("norm", "penalty")} | {"rate": spec.rate}
