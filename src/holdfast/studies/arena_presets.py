"""Arenas by name: what meets what, and how long. Parts are written as on a command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from holdfast.attacks import REGISTRY as EVERY_ATTACK
from holdfast.errors import InvalidInput
from holdfast.methods import DEFAULT, make_method
from holdfast.methods import REGISTRY as EVERY_METHOD
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena

BASE = {"rounds": 500, "eval_every": 50, "rate": "auto"}
"""Step sizes by rule for every method, so that none is tuned."""


def every_method() -> list[str]:
    """Return the methods that can be attacked and need no option, and some behind stages: the field's, and ours."""
    alone = [name for name in EVERY_METHOD if make_method(name).attacked]
    behind = ["nnm+trimmed-mean", "nnm+krum", "bucketing:size=2+krum", "bucketing:size=2+geometric-median"]
    return [DEFAULT, *alone, *behind, "watch+trimmed-mean"]


@dataclass(frozen=True)
class Preset:
    """The parts of an arena as texts, and fields of its base that are not the usual ones."""

    methods: Sequence[str] = field(default_factory=every_method)
    attacks: Sequence[str] = field(default_factory=lambda: list(EVERY_ATTACK))
    partitions: Sequence[str] = ("iid", "by-label")
    byzantine: Sequence[str] = ("4", "8")
    data: Sequence[Any] = ("digits",)
    models: Sequence[Any] = ("none",)
    seeds: int = 1
    factors: Sequence[float] = ()
    """Multiples of the rule's step size, of which every method takes the best on samples held back from training."""
    honest: int | None = None
    """How many workers are honest in every condition; None: all of the base but the Byzantine ones."""
    base: Mapping[str, Any] = field(default_factory=dict)

    def arena(self) -> Arena:
        """Return the arena of these texts."""
        if self.seeds < 1:
            raise InvalidInput(f"seeds must be at least 1; got {self.seeds}")
        make = {option.name: option.metadata["make"] for option in fields(Spec) if "make" in option.metadata}
        data, models = (tuple(map(make[part], given)) for part, given in (("data", self.data), ("model", self.models)))
        return Arena(
            Spec.of({**BASE, **self.base, "data": data[0], "model": models[0]}),
            data,
            models,
            tuple(map(make["method"], self.methods)),
            tuple(map(make["attack"], self.attacks)),
            tuple(map(make["partition"], self.partitions)),
            tuple(map(_counts, self.byzantine)),
            tuple(range(self.seeds)),
            self.honest,
        )


def _counts(text: str) -> tuple[int, int]:
    """Return the true and the declared number of Byzantine workers."""
    true, _, declared = text.partition(":")
    try:
        return int(true), int(declared or true)
    except ValueError:
        raise InvalidInput(f"--byzantine must be Q or Q:TOLD with whole numbers; got {text}") from None


NETWORK = {"schedule": "constant-then-linear", "l2": 1e-4, "momentum": 0.9}
"""What a network needs that a linear model does not: a falling tail, less weight on |x|^2, and momentum for RSA too."""

BYZFL = {"dealt": "honest", "rounds": 800, "eval_every": 50, "batch": 25}
"""ByzFL's heat map: its Byzantine workers come with no data of their own."""
CLIP = "clip:radius=0.167"
"""ByzFL shortens gradients to 2. Messages here are gradients times 1/m, and m is 11 to 14: in the middle it is this."""
BYZFL_ATTACKS = [
    "inner-product:scale=1",
    "inner-product:search=upward,evaluations=20",
    "alie:z=-1,search=upward,evaluations=20",
]
"""Its sign flip, which is that of the honest mean, and its searches."""


def _behind_watch(*rules: str) -> list[str]:
    """Return each rule, and the same behind the stage `watch`."""
    return [method for rule in rules for method in (rule, f"watch+{rule}")]


PRESETS = {
    "full": Preset(),
    "demo": Preset(
        methods=[
            DEFAULT,
            "rsa",
            "watchful-rsa",
            "geometric-median",
            "krum",
            "median",
            "trimmed-mean",
            "nnm+krum",
            "sgd",
        ],
        partitions=["by-label"],
        byzantine=["8"],
        base={"rounds": 300},
    ),
    "quick": Preset(
        methods=["rsa", "sgd", "median", "geometric-median", "krum", "trimmed-mean", "nnm+trimmed-mean"],
        attacks=["sign-flip", "gaussian", "duplicate", "contrarian", "negative-sum", "alie", "inner-product"],
        byzantine=["8"],
        base={"rounds": 300},
    ),
    "watchful": Preset(
        methods=["rsa", "watchful-rsa", *_behind_watch("geometric-median", "krum", "median", "trimmed-mean")],
        partitions=["iid", "dirichlet:alpha=0.5", "dirichlet:alpha=0.1", "by-label"],
        seeds=3,
        base={"eval_every": 250},
    ),
    "paper": Preset(
        methods=["rsa", "rsa:norm=1", "sgd", "geometric-median", "krum", "median"],
        attacks=["same-value", "sign-flip", "gaussian", "duplicate"],
        seeds=3,
        data=["mnist"],
        base={"rounds": 2000, "eval_every": 200},
    ),
    "byzfl": Preset(
        methods=[
            "rsa",
            f"{CLIP}+nnm+trimmed-mean",
            f"{CLIP}+nnm+geometric-median",
            f"{CLIP}+nnm+median",
            f"{CLIP}+nnm+multi-krum",
        ],
        attacks=BYZFL_ATTACKS,
        partitions=["similarity:gamma=0", "similarity:gamma=0.33", "similarity:gamma=0.66", "iid"],
        byzantine=["1", "2", "3", "4"],
        seeds=3,
        data=["mnist"],
        honest=10,
        base=BYZFL,
    ),
    "byzfl-cnn": Preset(
        methods=["rsa", f"{CLIP}+nnm+trimmed-mean", f"{CLIP}+nnm+geometric-median"],
        attacks=BYZFL_ATTACKS,
        partitions=["similarity:gamma=0", "similarity:gamma=0.33"],
        byzantine=["1", "2", "3", "4"],
        seeds=3,
        data=["mnist"],
        models=["cnn"],
        honest=10,
        base=NETWORK | BYZFL,
    ),
    "networks": Preset(
        methods=[
            "rsa",
            "rsa:norm=1",
            "watchful-rsa",
            "geometric-median",
            "krum",
            "median",
            "trimmed-mean",
            "nnm+trimmed-mean",
            "watch+nnm+trimmed-mean",
            "centered-clipping:radius=0.1",  # as long as gradients are here; the default of 100 would clip nothing
        ],
        attacks=["sign-flip", "gaussian", "alie", "contrarian"],
        partitions=["iid", "dirichlet:alpha=0.5", "by-label"],
        seeds=3,
        factors=[0.3, 1, 3],
        data=["mnist", "fashion-mnist"],
        models=["mlp:hidden=64", "cnn:first=8,second=16,hidden=32,halve=strides"],
        base=NETWORK | {"rounds": 150, "eval_every": 75},
    ),
    "networks-quick": Preset(
        methods=["rsa", "geometric-median", "trimmed-mean", "nnm+trimmed-mean"],
        attacks=["sign-flip", "alie", "contrarian"],
        byzantine=["4"],
        models=["mlp:hidden=32"],
        base=NETWORK | {"workers": 10, "rounds": 150},
    ),
}
"""What `--preset` names; `full` is what is played without it."""
