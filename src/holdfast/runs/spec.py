"""A run, described whole: what a TOML file or the flags of the command say."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from msgspec import Meta

from holdfast.attacks import ATTACKS, Attack
from holdfast.conversion import convert, field_types
from holdfast.data import PARTITIONS, Among, Iid, Partition, as_source
from holdfast.engines.engine_options import ENGINES, EngineOptions, InProcess
from holdfast.errors import InvalidInput, unknown
from holdfast.methods import AUTO, DEFAULT, Method, make_method, method_name, method_table, schedules
from holdfast.naming import source_of
from holdfast.problems import MODELS, PROBLEMS
from holdfast.problems.modules import WAYS
from holdfast.runs.spec_parts import (
    Part,
    make_attack,
    make_data,
    make_engine,
    make_model,
    make_problem,
    option,
    part,
    problem_text,
    require_hashable,
)
from holdfast.runs.spec_sections import build_tables, flatten, make_finite, read_sections
from holdfast.theory import steps
from holdfast.typing import Json

Positive = Annotated[int, Meta(ge=1)]
OF_A_MODEL = ("normalise", "augment", "device", "gradients", "chunk")
SCHEDULES = (*schedules.REGISTRY, *steps.REGISTRY)


@dataclass(frozen=True)
class Spec:
    """Everything that a run depends on, and the engine, which changes no number. The defaults are the paper's setting,
    but for norm, lambda and alpha: norm 2, and the other two found from the data.

    A part (data, partition, problem, method, attack, engine) is given as a text, a table or an object; method, attack,
    partition and engine are objects from then on: a `Method`, an `Attack` or None, a `Partition`, `EngineOptions`.
    `None` stands for a default that depends on the other fields; `resolved` fills it in.
    """

    method: Part[Method] = part(
        "method",
        make_method(DEFAULT),
        "how to learn: NAME[:key=value,...], stages before a rule with +",
        make_method,
        method_table,
    )
    attack: Part[Attack | None] = part(
        "attack",
        None,
        "what Byzantine workers send: none or NAME[:key=value,...]",
        make_attack,
        lambda attack: {"name": "none"} if attack is None else ATTACKS.table(attack),
    )
    byzantine: Annotated[int, Meta(ge=0)] | tuple[Positive, ...] = option(
        "attack", 0, "number of Byzantine workers q, which are the last ones; or their numbers, such as 2,5,9"
    )
    declared: Annotated[int, Meta(ge=0)] | None = option(
        "attack", None, "number of Byzantine workers that rules are told; the true q if not given"
    )
    data: Any = part(
        "data",
        "mnist",
        "name of a data set, or a file: .npz, or a table FILE[:key=value,...] (.csv, .tsv, .parquet)",
        lambda given: make_data(given, _keys("data")),
        lambda data: as_source(data).table(),
    )
    partition: Part[Partition] = part(
        "data",
        Iid(),
        "how samples are dealt to workers: NAME[:key=value,...]",
        PARTITIONS.make,
        lambda partition: {"partition": PARTITIONS.table(partition)},
    )
    workers: Positive = option("data", 20, "number of workers, m")
    dealt: Literal["everyone", "honest"] = option(
        "data",
        "everyone",
        "workers that samples are dealt to; with honest, each Byzantine worker copies an honest worker's data",
    )
    scale: float | Literal["standard"] | None = option(
        "data",
        None,
        "factor on the features, or standard: mean 0 and deviation 1 from the workers' reports; if not given, standard "
        "for tables, 16 for digits, else 1",
    )
    problem: Any = part(
        "problem",
        None,
        "problem to learn; inferred from the target if not given",
        lambda given: make_problem(given, _keys("problem")),
        lambda problem: {} if problem is None else {"name": problem_text(problem)},
    )
    model: Any = part(
        "problem",
        None,
        "PyTorch network: NAME[:key=value,...] or package.module:factory; none is a linear model",
        make_model,
        lambda model: {} if model is None else {"model": MODELS.table(model)},
    )
    normalise: Literal["mean-std", "none"] | None = option(
        "problem", None, "with a model: mean-std scales features to mean 0 and deviation 1 per channel; or none"
    )
    augment: Literal["none", "shift", "flip-shift"] | None = option(
        "problem", None, "with a model: random changes to training images: none, shift or flip-shift"
    )
    device: Literal["cpu", "cuda", "mps"] | None = option(
        "problem", None, "with a model: device of PyTorch: cpu, cuda or mps"
    )
    gradients: str | None = option(
        "problem", None, f"with a model: way to compute gradients: {', '.join(WAYS)}; the fastest here if not given"
    )
    chunk: Positive | None = option("problem", None, "with a model: number of workers computed at a time")
    weighting: Literal["mean", "sum"] = option("problem", "mean", "weight of a worker's loss: 1/m (mean) or 1 (sum)")
    l2: Annotated[float, Meta(ge=0)] | None = option(
        "problem", None, "weight c of the master's regulariser c/2 |x|^2; if not given, 0 for tables, else 0.01"
    )
    rounds: Positive = option("training", 5000, "number of rounds")
    rate: float | Literal["auto"] | None = option(
        "training",
        None,
        "step size alpha; auto infers it from the data; if not given, auto, or the theorem's with its own schedule",
    )
    schedule: str = option("training", "inverse-sqrt", "schedule by which the step size falls")
    momentum: Annotated[float, Meta(ge=0, lt=1)] | None = option(
        "training",
        None,
        "share of the past in the workers' averaged gradients, 0 is none; if not given, 0.9 for rules on gradients and "
        "0 for rsa",
    )
    reduction: Literal["none", "saga", "lsvrg"] = option(
        "training", "none", "variance reduction of the workers' gradients: none, saga or lsvrg"
    )
    batch: Positive = option("training", 32, "samples per minibatch")
    participation: Annotated[float, Meta(gt=0, le=1)] = option(
        "training", 1.0, "share of the workers that the master asks per round, at random"
    )
    weights: Literal["equal", "samples"] = option(
        "training", "equal", "weights of workers at the master: equal, or by the number of samples dealt to them"
    )
    weight_cap: Annotated[float, Meta(ge=1)] = option(
        "training", 2.0, "upper limit of a worker's weight by samples, in multiples of the mean"
    )
    byzantine_work: Literal["needed", "always"] = option(
        "training",
        "needed",
        "when Byzantine workers compute their own gradient: if the attack needs it, or always, for timing",
    )
    seed: Annotated[int, Meta(ge=0)] = option("training", 0, "random seed")
    dtype: Literal["float32", "float64"] = option("training", "float32", "number type of models and messages")
    evaluated: Literal["last", "average"] = option(
        "training", "last", "model that is evaluated and saved: x0, or the average of x0 over all rounds so far"
    )
    eval_every: Positive = option("training", 100, "rounds between evaluations")
    checkpoint_every: Positive = option("training", 500, "rounds between checkpoints")
    engine: Part[EngineOptions] = part(
        "engine",
        InProcess(),
        "where workers compute: simulated in this process, or in shards on Ray",
        make_engine,
        ENGINES.table,
    )

    def __post_init__(self) -> None:
        types = field_types(Spec)
        for each in fields(self):
            value, make = getattr(self, each.name), each.metadata.get("make")
            if each.name == "byzantine" and isinstance(value, str) and "," in value:
                value = value.split(",")
            made = make(value) if make else convert(each.name, value, types[each.name])
            if each.name not in ("problem", "engine"):
                require_hashable(each.name, made)
            object.__setattr__(self, each.name, made)
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if isinstance(self.scale, float) and (self.scale == 0 or not isfinite(self.scale)):
            raise InvalidInput(f"scale must be finite and not 0; got {self.scale}")
        if self.rate == AUTO and self.schedule in steps.REGISTRY:
            raise InvalidInput(f"rate auto is for the schedules {', '.join(schedules.REGISTRY)}; got {self.schedule}")
        if self.gradients is not None and self.gradients not in WAYS:
            raise unknown("way to gradients", self.gradients, WAYS)
        given = [name for name in OF_A_MODEL if getattr(self, name) is not None]
        if given and self.model is None and isinstance(self.problem, str | None):
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
    def dealing(self) -> Partition:
        """The partition among all workers, Byzantine ones included."""
        if self.dealt == "everyone":
            return self.partition
        return Among(self.partition, tuple(sorted({*range(1, self.workers + 1)} - {*self.byzantine_workers})))

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
        known = [each.name for each in fields(Spec)]
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
        return Spec.of(flatten(tables, fields(Spec)))

    def tables(self) -> dict[str, Json]:
        """Return the spec by sections, as a TOML file has it; what is None is left out."""
        return build_tables(self)

    def identity(self) -> dict[str, Json]:
        """Return the sections that say what is computed: all but the engine."""
        return {section: table for section, table in self.tables().items() if section != "engine"}

    def to_toml(self) -> str:
        """Return what is computed as a TOML file that reads back equal but for the engine."""
        try:
            return tomli_w.dumps(self.identity())
        except TypeError as error:
            raise InvalidInput(f"a spec that is kept needs parts whose options can be written; got {error}") from None

    def to_json(self) -> Json:
        """Return what is computed as strict JSON has it: inf and nan are texts, which a spec reads as well."""
        found: dict[str, Any] = make_finite(self.identity())
        return found

    def sources(self) -> list[dict[str, str]]:
        """Return where the parts from outside the package came from, with a hash of their code."""
        parts = (*self.method.parts, self.attack, self.partition, self.model)
        found = [source_of(each) for each in parts if each is not None]
        found += [as_source(self.data).origin(), None if self.problem is None else PROBLEMS.source(self.problem)]
        return [source for source in found if source is not None]


def read_toml(path: Path) -> Json:
    """Return the values in a TOML file by field."""
    return read_sections(path, fields(Spec))


def _keys(section: str) -> list[str]:
    """Return the fields that stand in a section, but for the part that it is named after."""
    return [each.name for each in fields(Spec) if each.metadata["section"] == section != each.name]
