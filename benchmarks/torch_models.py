"""Whole rounds with networks: ours, a plain loop, and ByzFL's Client and Server, in turns in one process.

    .venv-bench/bin/python -m benchmarks.torch_models            all of it, about 3 minutes
    .venv-bench/bin/python -m benchmarks.torch_models mlp        one model

20 workers, batches of 32, momentum 0.9, trimmed mean that drops 4 on either side; one thread each. Samples are random
images of MNIST's size, in memory. RSA is timed beside them and compared with their trimmed mean: they have no RSA.
A second table says which part of a round of RSA, without momentum, is not the gradients of the workers' own models.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.timing import once
from benchmarks.versions import load, machine, versions
from holdfast.data import Dataset
from holdfast.engines.engine import train
from holdfast.problems.modules.networks import Cnn, Mlp, new_module
from holdfast.problems.modules.oracle import ModuleOracle
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import fill_defaults, make_plan
from holdfast.runs.spec import Spec

WORKERS, BATCH, TRIMMED, MOMENTUM, RATE = 20, 32, 4, 0.9, 0.05
MODELS = {"mlp": (Mlp(hidden=100), "fc_mnist", 40), "cnn": (Cnn(), "cnn_mnist", 8)}
"""Each with ByzFL's name for it, and how many rounds are timed."""
METHODS = ("trimmed-mean", "rsa:norm=2,penalty=0.01", "rsa:norm=1,penalty=0.001")
Round = Callable[[], Any]


def samples() -> Dataset:
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (8000, 28, 28), dtype=np.uint8)
    targets = generator.integers(0, 10, 8000)
    return Dataset("random images", pixels, targets, pixels[:100], targets[:100])


def ours(model: Any, data: Dataset, method: str) -> tuple[str, Round]:
    spec = fill_defaults(Spec(data=data, model=model, method=method, momentum=MOMENTUM, rate=RATE, workers=WORKERS))
    plan = make_plan(replace(spec, declared=TRIMMED, schedule="constant"))
    experiment = assemble(plan)
    rounds: Iterator[Any] = train(
        experiment.program, experiment.engine, experiment.program.init(experiment.problem.start()), range(10**9)
    )
    return f"holdfast, {method.partition(',')[0]} ({plan.spec.gradients}, {plan.spec.chunk})", lambda: next(rounds)


def batches(data: Dataset) -> list[Any]:
    x = torch.from_numpy(data.train_features).float().unsqueeze(1).div(255).sub(0.13).div(0.31)
    y = torch.from_numpy(data.train_targets)
    parts = np.array_split(np.arange(len(y)), WORKERS)
    return [torch.utils.data.TensorDataset(x[part], y[part]) for part in parts]


def plain_loop(model: Any, data: Dataset) -> Round:
    """What one writes first: a module per worker, `backward`, torch's sort."""
    modules = [new_module(model, (1, 28, 28), 10) for _ in range(WORKERS)]
    server = new_module(model, (1, 28, 28), 10)
    sets, generator = batches(data), torch.Generator().manual_seed(0)
    dimension = sum(each.numel() for each in server.parameters())
    average = torch.zeros(WORKERS, dimension)

    def play() -> None:
        state = server.state_dict()
        for row, (module, held) in enumerate(zip(modules, sets, strict=True)):
            module.load_state_dict(state)
            at = torch.randint(len(held), (BATCH,), generator=generator)
            x, y = held[at]
            module.zero_grad()
            torch.nn.functional.cross_entropy(module(x), y).backward()
            gradient = torch.cat([each.grad.reshape(-1) for each in module.parameters()])
            average[row].mul_(MOMENTUM).add_(gradient, alpha=1 - MOMENTUM)
        direction = average.sort(0).values[TRIMMED:-TRIMMED].mean(0)
        vector = torch.nn.utils.parameters_to_vector(server.parameters()).detach() - RATE * direction
        torch.nn.utils.vector_to_parameters(vector, server.parameters())

    return play


def with_byzfl(name: str, data: Dataset) -> Round:
    from benchmarks.contestants.with_byzfl import byzfl

    loaders = [torch.utils.data.DataLoader(held, batch_size=BATCH, shuffle=True) for held in batches(data)]
    about = {"model_name": name, "device": "cpu", "loss_name": "NLLLoss", "LabelFlipping": False, "nb_labels": 10}
    about |= {"momentum": MOMENTUM, "store_per_client_metrics": False, "optimizer_name": "SGD", "learning_rate": RATE}
    about |= {"weight_decay": 0.0, "milestones": [], "learning_rate_decay": 1.0}
    clients = [byzfl.Client(about | {"training_dataloader": loader}) for loader in loaders]
    rule = {"aggregator_info": {"name": "TrMean", "parameters": {"f": TRIMMED}}, "pre_agg_list": []}
    server = byzfl.Server(about | rule | {"test_loader": loaders[0]})

    def play() -> None:
        for client in clients:
            client.set_model_state(server.get_dict_parameters())
            client.compute_gradients()
        server.update_model_with_gradients([client.get_flat_gradients_with_momentum() for client in clients])

    return play


def own_part(name: str, data: Dataset) -> list[str]:
    """Return what RSA adds to the gradients of a round: workers' pulls and steps, and the master's."""
    model, _, rounds = MODELS[name]
    lines, plain, taken = [], ModuleOracle.__call__, []

    def timed(oracle: ModuleOracle, models: Any, round: int) -> Any:
        seconds, gradients = once(lambda: plain(oracle, models, round))
        taken.append(seconds)
        return gradients

    for method in METHODS[1:]:
        spec = fill_defaults(
            Spec(data=data, model=model, method=method, rate=RATE, workers=WORKERS, schedule="constant")
        )
        experiment = assemble(make_plan(spec))
        state = experiment.program.init(experiment.problem.start())
        played = train(experiment.program, experiment.engine, state, range(10**9))
        next(played)
        with patch.object(ModuleOracle, "__call__", timed):
            whole = [once(lambda played=played: next(played))[0] for _ in range(rounds)]
        shares = [1 - part / all_of_it for part, all_of_it in zip(taken[-rounds:], whole, strict=True)]
        title, part = method.partition(",")[0], median(taken[-rounds:])
        lines.append(f"| {name} | {title} | {1e3 * median(whole):.1f} | {1e3 * part:.1f} | {median(shares):.0%} |")
    return lines


def contest(name: str, data: Dataset) -> list[str]:
    model, of_byzfl, rounds = MODELS[name]
    calls = dict(ours(model, data, method) for method in METHODS)
    calls |= {"plain loop": plain_loop(model, data), "ByzFL 0.0.11": with_byzfl(of_byzfl, data)}
    times: dict[str, list[float]] = {each: [] for each in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for each, call in calls.items():
            times[each].append(once(call)[0])
    typical = {each: median(some) for each, some in times.items()}
    base = typical["ByzFL 0.0.11"]
    return [f"| {name} | {each} | {1e3 * t:.1f} | {1 / t:.1f} | {base / t:.1f} |" for each, t in typical.items()]


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    data = samples()
    lines = [f"{machine()}; load {load()}", ", ".join(f"{key} {value}" for key, value in versions().items()), ""]
    lines += ["| model | way | ms a round | rounds a second | times as fast as ByzFL |", "|---|---|---|---|---|"]
    print(*lines, *(line for name in names for line in contest(name, data)), sep="\n")
    print(
        "", "| model | method | ms a round | ms for its gradients | RSA's own part |", "|---|---|---|---|---|", sep="\n"
    )
    print(*(line for name in names for line in own_part(name, data)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(MODELS))
