"""A run, described whole: what a TOML file or the flags of the command say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, get_type_hints

import tomli_w
from msgspec import Meta

from holdfast.attacks import ATTACKS, Attack
from holdfast.conversion import converted
from holdfast.data import FILE_TYPES, PARTITIONS, SETS, Dataset, Iid, Partition, Table, described
from holdfast.engines.options import ENGINES, EngineOptions, InProcess
from holdfast.errors import InvalidInput, unknown
from holdfast.experiments.sections import finite, flat, read_sections, tables_of
from holdfast.methods import AUTO, Method, Rsa, make_method, method_name, method_parts, method_table, schedules
from holdfast.naming import source_of
from holdfast.problems import MODELS, PROBLEMS, Problem
from holdfast.theory import steps

T = TypeVar("T")
Positive = Annotated[int, Meta(ge=1)]
OF_A_MODEL = ("normalise", "augment", "device")
SCHEDULES = (*schedules.REGISTRY, *steps.REGISTRY)


class Part(Generic[T]):
    """What a type checker shall know of a part: it is given as a text, a table or an object, and is an object then."""

    if TYPE_CHECKING:

        def __get__(self, spec: object, owner: object) -> T: ...
        def __set__(self, spec: object, given: T | str | Mapping[str, Any] | Callable[..., Any]) -> None: ...


def _option(section: str, default: Any, help: str) -> Any:
    return field(default=default, metadata={"section": section, "help": help})


def _part(section: str, default: Any, help: str, make: Callable[[Any], Any], table: Callable[[Any], Any]) -> Any:
    """Return a field that is a part: how it is made of what is given, and what it puts into its section's table."""
    return field(default=default, metadata={"section": section, "help": help, "make": make, "table": table})


def _attack(given: Any) -> Attack | None:
    if given is None or (isinstance(given, str | Mapping) and given in ("none", {"name": "none"})):
        return None
    if isinstance(given, str) and ":" not in given and given not in ATTACKS.registry:
        raise unknown("attack", given, ["none", *ATTACKS.registry, "package.module:Name"])
    return ATTACKS.make(given)


def _data(given: Any) -> Any:
    data = described(given)
    if isinstance(data, Mapping):
        data = _named("data", data)
    if not isinstance(data, str | Table | Dataset) and not callable(data):
        raise InvalidInput(
            f"data must be a name, a file, a table, a Dataset or a function that makes one; got {data!r}"
        )
    return data


def _named(section: str, given: Any) -> Any:
    """Return the name in a table that holds nothing else; anything but a table as it is."""
    if not isinstance(given, Mapping):
        return given
    known = ["name", *(option.name for option in fields(Spec) if option.metadata["section"] == section)]
    for key in given:
        if key != "name":
            raise unknown(f"key of [{section}]", key, [each for each in known if each != section])
    return given.get("name")


def data_text(data: Any) -> str:
    """Return data as they are written on a command line."""
    if isinstance(data, str | Table):
        return str(data)
    return data.name if isinstance(data, Dataset) else SETS.name(data)


def _problem(given: Any) -> Any:
    """Return a name that is known, or an object; None is for the target to decide."""
    problem = _named("problem", given)
    if problem is None:
        return None
    if isinstance(problem, str):
        PROBLEMS.make(problem)
    elif not isinstance(problem, Problem) and not callable(problem):
        raise InvalidInput(f"a problem must be a name, a Problem or what makes one; got {problem!r}")
    return problem


def _model(given: Any) -> Any:
    model = None if given == "none" else given if given is None or callable(given) else MODELS.make(given)
    if model is not None and not callable(model):
        raise InvalidInput(f"a model must be a name or a function that makes a torch.nn.Module; got {model!r}")
    return model


def model_text(model: Any) -> str:
    """Return a model as it is written on a command line."""
    return "none" if model is None else MODELS.text(model)


def rate_text(spec: "Spec") -> str:
    """Return a step size as it is written on a command line."""
    return spec.rate if isinstance(spec.rate, str) else f"{spec.rate:g}"


def problem_text(problem: Any) -> str:
    """Return a problem as it is written on a command line; nothing where the target decides."""
    if problem is None:
        return ""
    return problem if isinstance(problem, str) else PROBLEMS.name(problem)


@dataclass(frozen=True)
class Spec:
    """Everything that a run depends on, and the engine, which changes no number. The defaults are the paper's setting,
    but for norm, lambda and alpha: norm 2, and the other two found from the data.

    A part (data, partition, problem, method, attack, engine) is given as a text, a table or an object; method, attack,
    partition and engine are objects from then on: a `Method`, an `Attack` or None, a `Partition`, `EngineOptions`.
    `None` stands for a default that depends on the other fields; `resolved` fills it in.
    """

    method: Part[Method] = _part(
        "method",
        Rsa(),
        "how to learn: NAME[:key=value,...], stages before a rule with +",
        make_method,
        method_table,
    )
    attack: Part[Attack | None] = _part(
        "attack",
        None,
        "what Byzantine workers send: none or NAME[:key=value,...]",
        _attack,
        lambda attack: {"name": "none"} if attack is None else ATTACKS.table(attack),
    )
    byzantine: Annotated[int, Meta(ge=0)] | tuple[Positive, ...] = _option(
        "attack", 0, "number of Byzantine workers, q (then the last ones), or which they are, such as 2,5,9"
    )
    declared: Annotated[int, Meta(ge=0)] | None = _option(
        "attack", None, "the q that rules are told, if not the true one"
    )
    data: Any = _part(
        "data",
        "mnist",
        "a data set's name, or a file: .npz, or FILE[:key=value,...] with a table (.csv, .tsv, .parquet)",
        _data,
        lambda data: data.table() if isinstance(data, Table) else {"name": data_text(data)},
    )
    partition: Part[Partition] = _part(
        "data",
        Iid(),
        "who holds what: NAME[:key=value,...]",
        PARTITIONS.make,
        lambda partition: {"partition": PARTITIONS.table(partition)},
    )
    workers: Positive = _option("data", 20, "number of workers, m")
    scale: float | Literal["standard"] | None = _option(
        "data",
        None,
        "factor on the features, or standard: mean 0 and deviation 1 by what workers report, the default for tables; "
        "1 leaves pixels raw, but 16 for digits",
    )
    problem: Any = _part(
        "problem",
        None,
        "what to learn; by the target if not given",
        _problem,
        lambda problem: {} if problem is None else {"name": problem_text(problem)},
    )
    model: Any = _part(
        "problem",
        None,
        "a PyTorch network that makes the scores: NAME[:key=value,...] or package.module:factory; linear without",
        _model,
        lambda model: {} if model is None else {"model": MODELS.table(model)},
    )
    normalise: Literal["mean-std", "none"] | None = _option(
        "problem", None, "with a model: features to mean 0 and deviation 1 per channel, mean-std, or none"
    )
    augment: Literal["none", "shift", "flip-shift"] | None = _option(
        "problem", None, "with a model: move training images about at random, none, shift or flip-shift"
    )
    device: Literal["cpu", "cuda", "mps"] | None = _option(
        "problem", None, "with a model: where PyTorch computes, cpu, cuda or mps"
    )
    weighting: Literal["mean", "sum"] = _option("problem", "mean", "weight of a worker's loss: 1/m (mean) or 1 (sum)")
    l2: Annotated[float, Meta(ge=0)] = _option("problem", 0.01, "weight c of the master's regulariser c/2 |x|^2")
    rounds: Positive = _option("training", 5000, "number of rounds")
    rate: float | Literal["auto"] | None = _option(
        "training",
        None,
        "step size alpha; if not given, auto: found from the data, or the theorems' own with their schedules",
    )
    schedule: str = _option("training", "inverse-sqrt", "how the step size falls")
    momentum: Annotated[float, Meta(ge=0, lt=1)] = _option(
        "training", 0.0, "share of the past in the averaged gradients that workers use; 0 is none"
    )
    reduction: Literal["none", "saga", "lsvrg"] = _option(
        "training", "none", "variance reduction of the workers' gradients: none, saga or lsvrg"
    )
    batch: Positive = _option("training", 32, "samples in a minibatch")
    participation: Annotated[float, Meta(gt=0, le=1)] = _option(
        "training", 1.0, "share of the workers that is asked in a round, at random"
    )
    weights: Literal["equal", "samples"] = _option(
        "training", "equal", "how much workers count at the master: equal, or by their samples as the server dealt them"
    )
    weight_cap: Annotated[float, Meta(ge=1)] = _option(
        "training", 2.0, "most samples that count for one worker, in multiples of their mean"
    )
    byzantine_work: Literal["needed", "always"] = _option(
        "training",
        "needed",
        "Byzantine workers compute their own gradient where the attack uses it, or always: for timing",
    )
    seed: Annotated[int, Meta(ge=0)] = _option("training", 0, "of all randomness")
    dtype: Literal["float32", "float64"] = _option("training", "float32", "of models and messages")
    evaluated: Literal["last", "average"] = _option(
        "training", "last", "the model that is measured and kept: x0, or the average of x0 over all rounds so far"
    )
    eval_every: Positive = _option("training", 100, "rounds between evaluations")
    checkpoint_every: Positive = _option("training", 500, "rounds between checkpoints")
    engine: Part[EngineOptions] = _part(
        "engine",
        InProcess(),
        "where it runs: all workers in this process, or shards of them on Ray",
        ENGINES.make,
        ENGINES.table,
    )

    def __post_init__(self) -> None:
        types = get_type_hints(Spec, include_extras=True)
        for option in fields(self):
            value, make = getattr(self, option.name), option.metadata.get("make")
            if option.name == "byzantine" and isinstance(value, str) and "," in value:
                value = value.split(",")
            made = make(value) if make else converted(option.name, value, types[option.name])
            if option.name not in ("problem", "engine"):
                require_hashable(option.name, made)
            object.__setattr__(self, option.name, made)
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if isinstance(self.scale, float) and (self.scale == 0 or not isfinite(self.scale)):
            raise InvalidInput(f"scale must be finite and not 0; got {self.scale}")
        if self.rate == AUTO and self.schedule in steps.REGISTRY:
            raise InvalidInput(f"rate auto is for the schedules {', '.join(schedules.REGISTRY)}; got {self.schedule}")
        given = [name for name in OF_A_MODEL if getattr(self, name) is not None]
        if given and self.model is None:
            raise InvalidInput(f"{given[0]} needs a model, such as model=mlp; got none")
        if self.weights == "equal" and self.weight_cap != Spec.weight_cap:
            raise InvalidInput(f"weight_cap is for weights=samples; got {self.weight_cap:g} and weights=equal")
        self._check_byzantine()

    def _check_byzantine(self) -> None:
        named = self.byzantine_workers
        if len(set(named)) != len(named) or any(worker > self.workers for worker in named):
            raise InvalidInput(f"byzantine must name different workers from 1 to {self.workers}; got {self.byzantine}")
        if len(named) >= self.workers:
            raise InvalidInput(f"byzantine must be less than workers={self.workers}; got {len(named)}")
        if self.attack is not None and not named:
            raise InvalidInput(f"an attack needs byzantine of at least 1; got byzantine=0, attack={self.attack_text}")

    @property
    def byzantine_workers(self) -> tuple[int, ...]:
        """The numbers of the Byzantine workers: those named, or the last ones."""
        if isinstance(self.byzantine, tuple):
            return self.byzantine
        return tuple(range(self.workers - min(self.byzantine, self.workers) + 1, self.workers + 1))

    @property
    def q(self) -> int:
        """How many workers are Byzantine."""
        return len(self.byzantine_workers)

    @property
    def method_name(self) -> str:
        """The name of the method, without its options."""
        return method_name(self.method)

    @property
    def attack_text(self) -> str:
        """The attack as it is written on a command line."""
        return "none" if self.attack is None else ATTACKS.text(self.attack)

    @property
    def partition_text(self) -> str:
        """The partition as it is written on a command line."""
        return PARTITIONS.text(self.partition)

    @staticmethod
    def of(values: Mapping[str, Any]) -> "Spec":
        """Return the spec with these values by field, which may be texts as on a command line.

        >>> Spec.of({"rounds": "10", "method": "rsa:norm=inf"}).method.norm
        inf
        """
        known = {option.name: option for option in fields(Spec)}
        for name in values:
            if name not in known:
                raise unknown("field of a spec", name, known)
        return Spec(**values)

    @staticmethod
    def read(path: Path) -> "Spec":
        """Return the spec in a TOML file."""
        return Spec.of(read_toml(path))

    @staticmethod
    def of_tables(tables: Mapping[str, Any]) -> "Spec":
        """Return the spec with these sections."""
        return Spec.of(flat(tables, fields(Spec)))

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the spec by sections, as a TOML file has it; what is None is left out."""
        return tables_of(self)

    def identity(self) -> dict[str, dict[str, Any]]:
        """Return the sections that say what is computed: all but the engine."""
        return {section: table for section, table in self.tables().items() if section != "engine"}

    def to_toml(self) -> str:
        """Return what is computed as a TOML file that reads back equal but for the engine."""
        try:
            return tomli_w.dumps(self.identity())
        except TypeError as error:
            raise InvalidInput(f"a spec that is kept needs parts whose options can be written; got {error}") from None

    def to_json(self) -> dict[str, Any]:
        """Return what is computed as strict JSON has it: inf and nan are texts, which a spec reads as well."""
        found: dict[str, Any] = finite(self.identity())
        return found

    def sources(self) -> list[dict[str, str]]:
        """Return where the parts from outside the package came from, with a hash of their code."""
        parts = (*method_parts(self.method), self.attack, self.partition, self.model)
        found = [source_of(part) for part in parts if part is not None]
        for family, part in ((SETS, self.data), (PROBLEMS, self.problem)):
            if not isinstance(part, str | Dataset | Table | None):
                found.append(source_of(part))
            elif isinstance(part, str) and Path(part).suffix not in FILE_TYPES:
                found.append(family.source(part))
        return [source for source in found if source is not None]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the values in a TOML file by field."""
    return read_sections(path, fields(Spec))


def require_hashable(name: str, part: Any) -> None:
    """Refuse what could change while it is used: equal runs are run once, and built problems are kept."""
    try:
        hash(part)
    except TypeError:
        raise InvalidInput(f"{name} must be hashable, such as a frozen dataclass; got {part!r}") from None


def require_number(value: float | str | None) -> float:
    """Return a field's number, which a resolved spec has."""
    if value is None or isinstance(value, str):
        raise InvalidInput(f"a spec must be resolved before it is used; got {value} for a number")
    return value
