"""A run, described whole: what a TOML file or the flags of the command say."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from holdfast import methods, problems
from holdfast.errors import InvalidInput, unknown
from holdfast.methods import schedules
from holdfast.theory import steps

AUTO: Literal["auto"] = "auto"
"""Stands for a number that `holdfast.experiments.automatic` finds before the first round."""


def _option(default: Any, help: str, choices: tuple[str, ...] = (), least: float | None = None) -> Any:
    return field(default=default, metadata={"help": help, "choices": choices, "least": least})


@dataclass(frozen=True)
class Spec:
    """Everything that a run depends on. The defaults are the paper's setting.

    `None` stands for a default that depends on the other fields; `holdfast.experiments.defaults` fills it in.
    """

    method: str = _option("rsa", "how to learn", tuple(methods.REGISTRY))
    norm: float = _option(1.0, "RSA: the p of its lp norm, at least 1; inf is allowed", least=1)
    penalty: float | Literal["auto"] | None = _option(
        None, "RSA: lambda, the weight of the penalty, or auto; 0.07 for l1, more for larger p", least=0
    )
    rate: float | Literal["auto"] | None = _option(
        None,
        "step size alpha, or auto; 0.001 for RSA with l1 or l2, 0.0001 for the rules on gradients, the theorems' own",
    )
    schedule: str = _option("inverse-sqrt", "how the step size falls", (*schedules.REGISTRY, *steps.REGISTRY))
    reply: str = _option(
        "current", "RSA: workers send their current iterate, or as the authors' code the updated one",
        ("current", "updated"),
    )  # fmt: skip
    messages: str = _option(
        "full", "RSA with norm 1: workers send full models, or bits: on which side of them the master stands",
        ("full", "bits"),
    )  # fmt: skip
    ties: str | None = _option(
        None, "RSA with norm 1: who stands at the master pulls with sign 0, or a coin decides; coin if bits are sent",
        ("zero", "coin"),
    )  # fmt: skip
    local_steps: int = _option(1, "RSA: worker steps a round while x0 is held; the paper has 1", least=1)
    participation: float = _option(1.0, "share of the workers that is asked in a round, at random")
    attack: str = _option("none", "what Byzantine workers send: none or NAME[:key=value,...]")
    workers: int = _option(20, "number of workers, m", least=1)
    byzantine: int = _option(0, "number of Byzantine workers, q; the last ones unless --liars names them", least=0)
    liars: tuple[int, ...] | None = _option(None, "the Byzantine workers by number from 1, such as 2,5,9")
    liars_work: str = _option(
        "needed", "liars work out their true messages where the attack uses them, or always: for measuring time",
        ("needed", "always"),
    )  # fmt: skip
    declared: int | None = _option(None, "the q that Krum and the trimmed mean are told, if not the true one", least=0)
    problem: str = _option("softmax", "what to learn", tuple(problems.REGISTRY))
    data: str = _option("mnist", "a data set's name, or an .npz or .csv file")
    partition: str = _option("iid", "who holds what: iid, by-label or dirichlet:alpha=A")
    scale: float | None = _option(None, "factor on the features; 1 leaves pixels raw, but 16 for digits")
    weighting: str = _option("mean", "weight of a worker's loss: 1/m (mean) or 1 (sum)", ("mean", "sum"))
    l2: float = _option(0.01, "weight c of the master's regulariser c/2 |x|^2", least=0)
    batch: int = _option(32, "samples in a minibatch", least=1)
    rounds: int = _option(5000, "number of rounds", least=1)
    seed: int = _option(0, "of all randomness", least=0)
    dtype: str = _option("float32", "of models and messages", ("float32", "float64"))
    engine: str = _option("simulated", "all workers in this process, or shards of them by Ray", ("simulated", "ray"))
    shards: int = _option(0, "ray: number of processes that share the workers; 0 is one a core", least=0)
    address: str = _option("local", "ray: HOST:PORT of a running cluster; local starts Ray here")
    round_timeout: float = _option(
        0.0, "ray: seconds after which a round goes on without who is late; 0 waits for all", least=0
    )
    min_workers: int = _option(1, "ray: answers that a round needs; with fewer the run stops, to be resumed", least=1)
    eval_every: int = _option(100, "rounds between evaluations", least=1)
    checkpoint_every: int = _option(500, "rounds between checkpoints", least=1)

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if value is not None or option.default is not None:
                value = _converted(option, value)
                object.__setattr__(self, option.name, value)
                _check(option, value)
        if self.scale is not None and (self.scale == 0 or not isfinite(self.scale)):
            raise InvalidInput(f"scale must be finite and not 0; got {self.scale}")
        if self.byzantine >= self.workers:
            raise InvalidInput(f"byzantine must be less than workers={self.workers}; got {self.byzantine}")
        if self.attack != "none" and self.byzantine == 0:
            raise InvalidInput(f"an attack needs byzantine of at least 1; got byzantine=0, attack={self.attack}")
        if self.rate == AUTO and self.schedule in steps.REGISTRY:
            raise InvalidInput(f"rate auto is for the schedules {', '.join(schedules.REGISTRY)}; got {self.schedule}")
        if not 0 < self.participation <= 1:
            raise InvalidInput(f"participation must be above 0 and at most 1; got {self.participation}")
        signed = self.messages == "bits" or self.ties == "coin"
        if signed and self.norm != 1 and self.recipe.penalised:
            raise InvalidInput(f"bits and the coin for ties need norm 1; got norm={self.norm:g}")
        if self.messages == "bits" and self.ties == "zero":
            raise InvalidInput("one bit cannot say 0: bits need ties=coin; got ties=zero")
        if self.liars is not None:
            self._check_liars(self.liars)

    def _check_liars(self, liars: tuple[int, ...]) -> None:
        if len(set(liars)) != self.byzantine:
            raise InvalidInput(f"liars must name byzantine={self.byzantine} different workers; got {liars}")
        outside = [liar for liar in liars if not 1 <= liar <= self.workers]
        if outside:
            raise InvalidInput(f"liars must be numbers from 1 to workers={self.workers}; got {outside[0]}")

    @property
    def recipe(self) -> methods.Recipe:
        """How the method is made, and who takes part in it."""
        return methods.REGISTRY[self.method]

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Spec":
        """Return the spec with these values, which may be texts as on a command line.

        >>> Spec.of({"rounds": "10", "norm": "inf"}).norm
        inf
        """
        known = {option.name: option for option in fields(Spec)}
        for name in values:
            if name not in known:
                raise unknown("key of a spec", name, known)
        return Spec(**values)

    @staticmethod
    def read(path: Path) -> "Spec":
        """Return the spec in a TOML file."""
        return Spec.of(read_toml(path))

    def to_toml(self) -> str:
        """Return the spec as a TOML file that reads back equal; what is None is left out."""
        values = {name: value for name, value in asdict(self).items() if value is not None}
        return "".join(f"{name} = {_toml(value)}\n" for name, value in values.items())


def number(value: float | Literal["auto"] | None) -> float:
    """Return a field's number, which a resolved spec has."""
    if value is None or isinstance(value, str):
        raise InvalidInput(f"a spec must be resolved before it is used; got {value} for a number")
    return value


def read_toml(path: Path) -> dict[str, Any]:
    """Return the keys of a TOML file; a dash in a key is an underscore, as in flags."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"a spec must be a readable TOML file; got {path}: {error}") from None
    return {key.replace("-", "_"): value for key, value in table.items()}


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace(
            "\x7f", "\\u007f"
        )  # a JSON string is a TOML string but for this one
    if isinstance(value, tuple):
        return str(list(value))
    return repr(value)


def _converted(option: "Field[Any]", value: Any) -> Any:
    """Return a value of the field's type; a text is read as one, a NumPy number as what it is."""
    value = value.item() if isinstance(value, np.generic) else value
    kind = next(kind for kind in (*get_args(option.type), option.type) if kind is not NoneType)
    if value == AUTO and Literal["auto"] in get_args(option.type):
        return value
    try:
        if kind is str and isinstance(value, str):
            return value
        if kind is int:
            return _whole(value)
        if kind is float and isinstance(value, int | float | str) and not isinstance(value, bool):
            return float(value)
        if get_origin(kind) is tuple:
            return tuple(_whole(number) for number in (value.split(",") if isinstance(value, str) else value))
    except (ValueError, TypeError):
        pass
    noun = {str: "a text", int: "a whole number", float: "a number"}.get(kind, "whole numbers")
    alternative = f" or {AUTO}" if Literal["auto"] in get_args(option.type) else ""
    raise InvalidInput(f"{option.name} must be {noun}{alternative}; got {value!r}")


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(value)
    return int(value)


def _check(option: "Field[Any]", value: Any) -> None:
    choices, least = option.metadata["choices"], option.metadata["least"]
    if choices and value not in choices:
        raise unknown(option.name, value, choices)
    if least is not None and value != AUTO and not value >= least:
        raise InvalidInput(f"{option.name} must be at least {least}; got {value}")
