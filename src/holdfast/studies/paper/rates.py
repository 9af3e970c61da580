"""Step sizes that were searched for: what was tried, what came of it, what was chosen."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import tomli_w

from holdfast.attacks import ATTACKS
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa
from holdfast.runs.plan import drop_ignored
from holdfast.runs.spec import Spec

RECORDED = "presets/rates.toml"
HEAD = """\
# Step sizes found by `holdfast reproduce --search`; docs/reproducing.md says how.
# Lists in coarse and fine: the step size, then the final test accuracy of each seed.
"""


@dataclass(frozen=True)
class Trial:
    """One step size and the final test accuracy it led to with each seed; 0 where the run diverged."""

    rate: float
    accuracies: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.accuracies) / len(self.accuracies)


@dataclass(frozen=True)
class Searched:
    """The search in one setting."""

    rate: float
    """The one chosen."""
    coarse: tuple[Trial, ...]
    """Whole decades, few rounds: where to look."""
    fine: tuple[Trial, ...]
    """All rounds: what is chosen from."""


@dataclass(frozen=True)
class Rates:
    """The record of a search: how it was done, and what it found in each setting."""

    data: str
    rounds: int
    coarse_rounds: int
    seeds: tuple[int, ...]
    criterion: str
    settings: Mapping[str, Searched]

    def of(self, spec: Spec) -> float:
        """Return the step size for this spec, whatever its data, rounds and seed."""
        if describe_setting(spec) not in self.settings:
            raise InvalidInput(f"a searched rate must be on record; got none for {describe_setting(spec)!r}")
        return self.settings[describe_setting(spec)].rate

    def to_toml(self) -> str:
        """Return the record as a TOML file that reads back equal."""
        about = {"data": self.data, "rounds": self.rounds, "coarse_rounds": self.coarse_rounds}
        about |= {"seeds": list(self.seeds), "criterion": self.criterion}
        settings = {
            name: {"rate": found.rate, "coarse": _rows(found.coarse), "fine": _rows(found.fine)}
            for name, found in self.settings.items()
        }
        return HEAD + tomli_w.dumps(about | settings)

    @staticmethod
    def of_toml(text: str) -> "Rates":
        """Return the record in a TOML file."""
        try:
            table = tomllib.loads(text)
            settings = {name: _read_search(entry) for name, entry in table.items() if isinstance(entry, dict)}
            about = {key: value for key, value in table.items() if key not in settings}
            return Rates(settings=settings, seeds=tuple(about.pop("seeds")), **about)
        except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"rates must be the record of a search; got {error!r}") from None

    @staticmethod
    def read(path: Path) -> "Rates":
        """Return the record in a file."""
        try:
            return Rates.of_toml(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"rates must be in a readable file; got {path}: {error}") from None


@cache
def load_rates() -> Rates:
    """Return the record that comes with the package."""
    return Rates.of_toml(files("holdfast.studies.paper").joinpath(RECORDED).read_text(encoding="utf-8"))


def describe_setting(spec: Spec) -> str:
    """Return what a step size is tuned for, in words: partition, attack, method.

    >>> describe_setting(Spec(method="krum", attack="same-value:value=100", byzantine=8))
    'iid, same-value:value=100, q=8, krum'
    >>> describe_setting(Spec(method="ideal-sgd", attack="same-value:value=100", byzantine=8))
    'iid, no attack, ideal-sgd'
    """
    spec = drop_ignored(spec)
    # every option, so that a key keeps its meaning should a default change
    attack = "no attack" if spec.attack is None else f"{ATTACKS.text(spec.attack, full=True)}, q={spec.q}"
    weight = f" {spec.method.norm_label} lambda={spec.method.penalty:g}" if isinstance(spec.method, Rsa) else ""
    return f"{spec.partition_text}, {attack}, {spec.method_name}{weight}"


def _rows(trials: tuple[Trial, ...]) -> list[list[float]]:
    return [[trial.rate, *trial.accuracies] for trial in trials]


def _read_search(entry: Mapping[str, Any]) -> Searched:
    coarse, fine = (
        tuple(Trial(rate, tuple(accuracies)) for rate, *accuracies in entry[key]) for key in ("coarse", "fine")
    )
    return Searched(entry["rate"], coarse, fine)
