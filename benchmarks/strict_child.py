"""Time kernels and whole rounds of the holdfast that this process imports, each when its name is read from stdin."""

import json
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

import holdfast as hf
from benchmarks.inputs import Inputs
from holdfast import kernels
from holdfast.data import Dataset

ROUNDS = 60
"""Of a run whose time, evaluations apart, is divided by them."""


L1, L2 = "norm=1,penalty=0.07", "norm=2,penalty=1.2"
ROUNDS_OF: dict[str, dict[str, Any]] = {
    "rsa": {"method": f"rsa:{L1}"},
    "rsa, l2": {"method": f"rsa:{L2}"},
    "rsa, l-infinity": {"method": "rsa:norm=inf,penalty=20"},
    "rsa, bits": {"method": f"rsa:{L1},messages=bits"},
    "rsa, coin": {"method": f"rsa:{L1},ties=coin"},
    "rsa, momentum": {"method": f"rsa:{L2}", "momentum": 0.9},
    "rsa, half of the workers": {"method": f"rsa:{L2}", "participation": 0.5},
    "rsa, nobody lies": {"method": f"rsa:{L2}", "attack": "none", "byzantine": 0, "byzantine_work": "needed"},
    "watchful-rsa": {"method": f"watchful-rsa:{L2}"},
    "watchful-rsa, bits": {"method": f"watchful-rsa:{L1},messages=bits"},
    "rsa-admm": {"method": "rsa-admm:penalty=0.07"},
    "nnm+trimmed-mean": {"method": "nnm+trimmed-mean", "momentum": 0.9},
    "watch+median": {"method": "watch+median"},
    "rsa, line search": {"method": f"rsa:{L2}", "attack": "alie:search=line"},
    "nnm+trimmed-mean, line search": {"method": "nnm+trimmed-mean", "attack": "alie:search=line"},
    "rsa, bits, adaptive": {"method": f"rsa:{L1},messages=bits", "attack": "adaptive"},
    **{name: {"method": name} for name in ("sgd", "median", "trimmed-mean", "krum", "geometric-median")},
}
NETWORKS: dict[str, dict[str, Any]] = {
    "rsa": {"method": f"rsa:{L2}"},
    "rsa, line search": {"method": f"rsa:{L2}", "attack": "alie:search=line"},
    "nnm+trimmed-mean": {"method": "nnm+trimmed-mean", "momentum": 0.9},
    "nnm+trimmed-mean, line search": {"method": "nnm+trimmed-mean", "attack": "alie:search=line"},
}


def of_round(given: Dataset, **changes: Any) -> float:
    """Return the seconds of a round."""
    work = {"attack": "same-value", "byzantine": 8, "byzantine_work": "always", "rate": 1e-4, **changes}
    return hf.run(hf.Spec(data=given, rounds=ROUNDS, eval_every=ROUNDS, **work)).seconds / ROUNDS


def of_network(**changes: Any) -> float:
    """Return the seconds of a round with an MLP of 45,010 parameters, gradients computed in a fixed way."""
    rounds, way = 10, {"gradients": "layered", "chunk": 4}
    if "gradients" not in {field.name for field in fields(hf.Spec)}:  # before it was a field of the spec
        way = {"engine": "simulated:gradients=layered,chunk=4"}
    work = {"attack": "sign-flip", "byzantine": 2, "rate": 0.05, "workers": 12, **changes}
    spec = hf.Spec(data="digits", model="mlp:hidden=600", rounds=rounds, eval_every=rounds, **work, **way)
    return hf.run(spec).seconds / rounds


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
    whole = {f"round: {label}": partial(of_round, given, **changes) for label, changes in ROUNDS_OF.items()}
    if find_spec("torch"):
        whole |= {f"round of an MLP: {label}": partial(of_network, **changes) for label, changes in NETWORKS.items()}
    print(json.dumps([*calls, *whole]), flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name in whole:
            print(whole[name](), flush=True)
            continue
        begun = perf_counter()
        calls[name]()
        print(perf_counter() - begun, flush=True)


if __name__ == "__main__":
    main()
