"""Time kernels and whole rounds of the holdfast that this process imports, each when its name is read from stdin."""

import json
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.inputs import Inputs
from holdfast import kernels
from holdfast.data import Dataset

ROUNDS = 60
"""Of a run whose time, evaluations apart, is divided by them."""


def data() -> Dataset:
    """Random bytes of MNIST's width, 600 samples a worker."""
    random = np.random.default_rng(0)
    features = random.integers(0, 256, (12_000, 784), np.uint8)
    targets = random.integers(0, 10, 12_000)
    return Dataset("random", features, targets, features[:100], targets[:100])


def of_kernels(m: int, d: int) -> dict[str, Callable[[], Any]]:
    rows, model = (given := Inputs.of(m, d)).rows, given.model
    weights = np.full(m, 1 / m, np.float32)
    products = kernels.inner_products(rows, model)
    return {
        f"combination, d = {d}": lambda: kernels.combination(weights, rows),
        f"squared distances, d = {d}": lambda: kernels.squared_distances(rows),
        f"inner products, d = {d}": lambda: kernels.inner_products(rows, model),
        f"Weiszfeld's steps, d = {d}": lambda: kernels.weiszfeld(products, weights.astype(float), 1e-8, 1000),
        f"mean, d = {d}": lambda: kernels.mean(rows),
    }


def of_linear(given: Dataset) -> dict[str, Callable[[], Any]]:
    from holdfast.data.partitions import Iid
    from holdfast.problems import Softmax

    problem = Softmax.of(given, Iid(), 20, scale=1 / 255)
    oracle, model = problem.oracle(problem.workers), problem.start()
    return {
        "minibatch gradients, softmax, d = 7850": lambda: oracle(model, 1),
        "scores of 12,000 samples": lambda: problem.scores_of_all(model, given.train_features),
        "losses of 12,000 samples": lambda: problem.local_losses(model, problem.workers),
    }


def main() -> None:
    kernels.set_threads(1)
    given = data()
    calls = of_linear(given) | of_kernels(20, 7850) | of_kernels(20, 1_000_000)
    methods = {
        "rsa": "rsa:norm=1,penalty=0.07",
        "rsa, l2": "rsa:norm=2,penalty=1.2",
        "rsa, l-infinity": "rsa:norm=inf,penalty=20",
    }
    methods |= {name: name for name in ("sgd", "median", "trimmed-mean", "krum", "geometric-median")}

    def round(method: str) -> float:
        work = {"data": given, "attack": "same-value", "byzantine": 8, "byzantine_work": "always", "rate": 1e-4}
        return hf.run(hf.Spec(method=method, rounds=ROUNDS, eval_every=ROUNDS, **work)).seconds / ROUNDS

    whole = {f"round: {label}": method for label, method in methods.items()}
    print(json.dumps([*calls, *whole]), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name in whole:
            print(round(whole[name]), flush=True)
            continue
        begun = perf_counter()
        calls[name]()
        print(perf_counter() - begun, flush=True)


if __name__ == "__main__":
    main()
