"""Where a round with a network goes, operator by operator: ours beside ByzFL's, by torch's profiler.

    .venv-bench/bin/python -m benchmarks.torch_profile           the CNN
    .venv-bench/bin/python -m benchmarks.torch_profile mlp

The convolutions and matrix products are the same work for whoever asks torch for them: what they take of a round bounds
how much faster than another any loop can be. Our compiled rules are no operators of torch; they are in `outside torch`.
"""

import sys
from collections import Counter
from time import perf_counter

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.torch_models import METHODS, MODELS, Round, ours, samples, with_byzfl
from benchmarks.versions import load, machine

ROUNDS, SHOWN = 3, 12
PRODUCTS = ("convolution", "addmm", "mm", "bmm", "baddbmm")
"""Parts of the names of operators that multiply samples with weights."""


def operators(play: Round) -> tuple[float, Counter[str]]:
    """Return the milliseconds of a round, and of each operator's own work in it."""
    play()
    begun = perf_counter()
    with profile(activities=[ProfilerActivity.CPU]) as found:
        for _ in range(ROUNDS):
            play()
    whole = 1e3 * (perf_counter() - begun) / ROUNDS
    own = Counter({each.key: each.self_cpu_time_total / 1e3 / ROUNDS for each in found.key_averages()})
    own["outside torch"] = max(0.0, whole - own.total())
    return whole, own


def lines(title: str, whole: float, own: Counter[str]) -> list[str]:
    products = sum(spent for name, spent in own.items() if any(part in name for part in PRODUCTS))
    head = f"\n{title}: {whole:.0f} ms a round under the profiler, {products:.0f} of them convolutions and products\n"
    rows = [f"| {name} | {spent:.1f} | {spent / whole:.0%} |" for name, spent in own.most_common(SHOWN)]
    return [head, "| operator | own ms | of the round |", "|---|---|---|", *rows]


def main(name: str) -> None:
    torch.set_num_threads(1)
    data, (model, of_byzfl, _) = samples(), MODELS[name]
    contenders = dict([ours(model, data, METHODS[0]), ours(model, data, METHODS[1])])
    contenders["ByzFL 0.0.11"] = with_byzfl(of_byzfl, data)
    print(f"{machine()}; load {load()}")
    for title, play in contenders.items():
        print(*lines(title, *operators(play)), sep="\n")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["cnn"]))
