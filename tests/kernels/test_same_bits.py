"""The same bits on every processor: the order of sums is written down, and what is fused is fused everywhere."""

import platform
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import shown

from holdfast import kernels
from holdfast.kernels import loading
from holdfast.typing import Vector

PROCESSORS = {
    "ours": {},
    "with AVX2 only": {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+sse4.2,+avx,+avx2,+fma,+bmi,+bmi2,+f16c,+popcnt,+lzcnt,+movbe",
    },
    "with SSE2 only": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "ours, another C library's functions": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
}
PROGRAM = """
from hashlib import sha256
from holdfast.problems import Logistic, Shards, Softmax

generator = np.random.default_rng(3)
rows, model = generator.normal(size=(7, 1501)).astype(np.float32), generator.normal(size=1501).astype(np.float32)
features, parts = generator.integers(0, 256, (40, 83), np.uint8), np.split(np.arange(40), 4)

def learned(kind, outputs):
    shards = Shards.deal(features, generator.integers(0, max(outputs, 2), 40), parts, 1 / 255)
    problem = kind(shards, outputs, 5, 0.25)
    model = generator.normal(size=problem.dimension).astype(np.float32)
    return problem.oracle(problem.workers)(model, 1), problem.local_losses(model, problem.workers)

def digest(*arrays):
    return sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()

products = kernels.inner_products(rows, model)
"""
VALUES = [
    "digest(*learned(Softmax, 10))",
    "digest(*learned(Logistic, 1))",
    "digest(kernels.combination(np.linspace(0, 1, 7), rows))",
    "digest(kernels.mixtures(np.linspace(0, 1, 14).reshape(2, 7), rows))",
    "digest(kernels.squared_distances(rows), products)",
    "digest(kernels.weiszfeld(products, np.full(7, 1 / 7), 1e-9, 100)[0])",
    "digest(kernels.penalty_steps.pull(2.0, 1.0, model, rows))",
    "digest(kernels.normals(1, np.arange(1, 4), 5, 1001))",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="other processors cannot be asked for here")
def test_processors_agree_to_the_bit(cache: Path) -> None:
    found = {
        name: shown(*VALUES, before="from holdfast.kernels import penalty_steps\n" + PROGRAM, environment=environment)
        for name, environment in (
            (name, {"HOLDFAST_CACHE": cache, **settings}) for name, settings in PROCESSORS.items()
        )
    }
    assert len(found["ours"]) == len(VALUES)
    assert all(values == found["ours"] for values in found.values()), found


def lane_by_lane(x: Vector, y: Vector, width: int = 8) -> float:
    """x'y as `sources/lanes.py` says: each product and sum rounded once, as `float` rounds a fraction."""
    lanes, whole = [0.0] * width, len(x) // width * width
    for j, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        lane = j % width if j < whole else 0
        lanes[lane] = float(Fraction(a) * Fraction(b) + Fraction(lanes[lane]))
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [a + b for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return lanes[0]


@pytest.mark.parametrize("d", [1, 7, 8, 9, 21, 64, 1000])
def test_sums_are_added_in_the_order_that_is_written_down(d: int) -> None:
    generator = np.random.default_rng(d)
    rows, centre, model = generator.normal(size=(3, d)), generator.normal(size=d), generator.normal(size=2 * d + 2)
    distances, products = kernels.squared_distances(rows), kernels.inner_products(rows, centre)
    scores = kernels.scores(rows, 1.0, model, 2)
    for i, x in enumerate(rows):
        for j, y in enumerate(rows):
            assert products[i, j] == lane_by_lane(x - centre, y - centre)
            assert distances[i, j] == (lane_by_lane(x - y, x - y) if i != j else 0)
        assert scores[i].tolist() == [lane_by_lane(x, model[k * d : (k + 1) * d]) + model[2 * d + k] for k in (0, 1)]


def units(found: Any, expected: Any) -> float:
    """The largest error, in units of the last place of float64."""
    return float(np.max(np.abs(found - expected) / np.spacing(np.abs(expected.astype(np.float64)))))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("exp", np.r_[np.linspace(-700, 709, 5001), np.linspace(-1, 1, 5001)]),
        ("log", np.r_[np.linspace(1, 100, 5001), np.geomspace(1, 1e300, 5001)]),
        ("log1p", np.r_[np.linspace(0, 1, 5001), np.geomspace(1e-300, 1, 5001)]),
    ],
)
def test_functions_that_are_spelt_out_are_accurate(name: str, values: Any) -> None:
    function = getattr(loading.kernels("elementary"), name)
    found = np.array([function(value) for value in values])
    assert units(found, getattr(np, name)(values.astype(np.longdouble))) < 3


def test_and_know_the_ends_of_the_numbers() -> None:
    elementary = loading.kernels("elementary")
    found = [elementary.exp(x) for x in (-np.inf, -745.2, 0.0, 709.79, np.inf)]
    assert found == [0.0, 0.0, 1.0, np.inf, np.inf]
    assert (elementary.log(1.0), elementary.log(np.inf), elementary.log1p(0.0)) == (0.0, np.inf, 0.0)
    assert all(np.isnan(function(np.nan)) for function in (elementary.exp, elementary.log, elementary.log1p))
