"""What the laws of rules and of stages share: rows under attack, the bounds that docstrings claim, wrong options.

A rule or stage of its own kind states its bound here, beside those of its family.
"""

from dataclasses import fields
from functools import singledispatch
from typing import Any, get_args, get_type_hints

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from holdfast.aggregators import (
    Bulyan,
    Caf,
    CenteredClipping,
    Cge,
    ClippedMean,
    Faba,
    GeometricMedian,
    Krum,
    MajorityVote,
    MeaMed,
    Median,
    MinimumDiameter,
    MultiKrum,
    NormalisedMean,
    Phocas,
    Rule,
    Smea,
    TrimmedMean,
)
from holdfast.stages import Arc, Bounding, Bucketing, Clipping, NearestNeighbourMixing, Stage, Watch
from holdfast.typing import Rows

Case = tuple[Rows, NDArray[np.bool_]]
"""Rows, and which of them lie."""

seeds = st.integers(0, 2**32 - 1)

HOSTILE = [np.nan, np.inf, -np.inf, 1e38, -1e38, 3.4e38, 1e154, -1e154, 1e308, 1e-45, 5e-324, -0.0, 0.0, 1.0, 1e3, -1e6]

NO_MATRICES = {
    "number": 1.0,
    "nothing": [],
    "vector": [1.0, 2.0],
    "cube": np.ones((2, 2, 2)),
    "no rows": np.ones((0, 3)),
    "no columns": np.ones((3, 0)),
    "complex": np.ones((7, 2), complex),
    "texts": [["a", "b"]] * 7,
    "objects": np.full((7, 2), None),
    "ragged": [[1.0, 2.0], [3.0]],
}


def random_rows(seed: int = 0, n: int = 15, d: int = 4) -> Rows:
    return np.random.default_rng(seed).normal(size=(n, d))


def layouts(plain: Rows) -> list[Rows]:
    """The same rows as they may lie in memory, none of them to be written to."""
    wide: Rows = np.zeros((2 * plain.shape[0], 3 * plain.shape[1]), plain.dtype)
    wide[::2, ::3] = plain
    found = [
        np.asfortranarray(plain),
        plain[::-1].copy()[::-1],
        wide[::2, ::3],
        plain.astype(plain.dtype.newbyteorder()),
    ]
    for rows in found:
        rows.setflags(write=False)
    return found


@st.composite
def attacked_rows(draw: st.DrawFn, least: int, spare: int, more: int = 3) -> Case:
    """Rows of which q lie, anywhere among them and in any way, and which these are.

    n is `least * q + spare`, or larger by at most `more`.
    """
    byzantine = draw(st.integers(1, 4))
    n = least * byzantine + spare + draw(st.integers(0, more))
    d = draw(st.integers(1, 4))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    rows = random_rows(draw(seeds), n, d) * draw(st.sampled_from([1e-3, 1.0, 1e3])) + draw(st.sampled_from([0, 5.0]))
    entries = st.sampled_from(HOSTILE) | st.floats(-50, 50) | st.floats(-3, 150).map(lambda power: 10.0**power)
    row = st.lists(entries, min_size=d, max_size=d) | entries.map(lambda entry: [entry] * d)
    lies = np.isin(np.arange(n), draw(st.permutations(range(n)))[:byzantine])
    rows[lies] = draw(st.lists(row, min_size=byzantine, max_size=byzantine))
    with np.errstate(over="ignore"):
        return rows.astype(dtype), lies


def rounding(rows: Rows) -> float:
    return float(8 * len(rows) * np.finfo(rows.dtype).eps * np.abs(rows).max())


def plainly(rows: Rows) -> NDArray[np.float64]:
    """Squared distances from differences in extended precision."""
    wide = rows.astype(np.longdouble)
    distances: NDArray[np.float64] = ((wide[:, np.newaxis] - wide) ** 2).sum(axis=2).astype(np.float64)
    return distances


def diameter(rows: Rows) -> float:
    return float(np.sqrt(plainly(rows).max()))


def off_mean(rows: Rows) -> Rows:
    wide = rows.astype(np.float64)
    off: Rows = np.abs(wide - wide.mean(axis=0))
    return off


def variance(rows: Rows) -> float:
    """The largest eigenvalue of the rows' covariance."""
    wide = rows.astype(np.longdouble)
    off = (wide - wide.mean(axis=0)).astype(np.float64)
    return float(np.linalg.eigvalsh(off.T @ off / len(off))[-1])


@singledispatch
def claimed(rule: Rule, honest: Rows, n: int, q: int) -> float:
    """How far from the mean of the honest rows a rule may answer while q of n rows, as it is told, lie.

    A rule that claims no bound may answer anything.
    """
    return np.inf


@claimed.register(Median)
@claimed.register(TrimmedMean)
def _(rule: Rule, honest: Rows, n: int, q: int) -> float:
    """Every coordinate stays between two honest values."""
    return float(np.linalg.norm(off_mean(honest).max(axis=0)))


@claimed.register(MeaMed)
@claimed.register(Phocas)
@claimed.register(Bulyan)
def _(rule: Rule, honest: Rows, n: int, q: int) -> float:
    """No coordinate leaves the honest values by more than a share of their range: that of lies among the averaged."""
    wide = honest.astype(np.float64)
    averaged = n - 4 * q if isinstance(rule, Bulyan) else n - q
    beyond = min(q / averaged, 1) * (wide.max(axis=0) - wide.min(axis=0))
    return float(np.linalg.norm(off_mean(honest).max(axis=0) + beyond))


@claimed.register
def _(rule: MinimumDiameter, honest: Rows, n: int, q: int) -> float:
    return float(2 * q / (n - q) * diameter(honest) * (1 + 1e-6))


@claimed.register
def _(rule: Smea, honest: Rows, n: int, q: int) -> float:
    return float(2 * np.sqrt(q / (n - 2 * q) * variance(honest)) * (1 + 1e-5))


@claimed.register
def _(rule: Caf, honest: Rows, n: int, q: int) -> float:
    if n <= 4 * q:
        return np.inf
    reach = np.sqrt(2 * q / (n - 3 * q) * variance(honest)) * (1 + np.sqrt((n - q) / (n - 4 * q)))
    return float(reach * (1 + 1e-5))


@claimed.register
def _(rule: Cge, honest: Rows, n: int, q: int) -> float:
    return float(2 * q / (n - q) * np.linalg.norm(honest.astype(np.float64), axis=1).max())


@claimed.register
def _(rule: Faba, honest: Rows, n: int, q: int) -> float:
    reach = 1 + 2 * n * q / ((n - q) * (n - 2 * q))
    return float(reach * np.linalg.norm(off_mean(honest), axis=1).max() * (1 + 1e-6))


@claimed.register(ClippedMean)
@claimed.register(NormalisedMean)
@claimed.register(MajorityVote)
def _(rule: Rule, honest: Rows, n: int, q: int) -> float:
    """However the rows lie, the result is no longer than a radius, 1, or 1 in every coordinate."""
    longest = rule.radius if isinstance(rule, ClippedMean) else 1.0
    if isinstance(rule, MajorityVote):
        longest = float(np.sqrt(honest.shape[1]))
    return float(np.linalg.norm(honest.astype(np.float64).mean(axis=0)) + longest * (1 + 1e-3))


@claimed.register(Krum)
@claimed.register(MultiKrum)
def _(rule: Rule, honest: Rows, n: int, q: int) -> float:
    """What is chosen is within sqrt(n - q - 2) honest diameters of an honest row, which is within one of the mean."""
    return float((1 + np.sqrt(n - q - 2)) * diameter(honest) * (1 + 1e-6))


@claimed.register
def _(rule: GeometricMedian, honest: Rows, n: int, q: int) -> float:
    return float(2 * (n - q) / (n - 2 * q) * np.linalg.norm(off_mean(honest), axis=1).max())


@claimed.register
def _(rule: CenteredClipping, honest: Rows, n: int, q: int) -> float:
    """On bare rows it starts at 0, and each step is at most a radius long."""
    return float(np.linalg.norm(honest.astype(np.float64).mean(axis=0)) + rule.radius * rule.steps * (1 + 1e-6))


@singledispatch
def spread(stage: Stage, honest: Rows, n: int, q: int) -> float:
    """How far from the mean of the honest rows all but q of the rows may be that come out, while q of n rows lie.

    After a stage that claims no bound they may be anywhere.
    """
    return np.inf


@spread.register
def _(stage: NearestNeighbourMixing, honest: Rows, n: int, q: int) -> float:
    return float(2 * q / (n - q) * diameter(honest))


@spread.register(Bucketing)
@spread.register(Watch)
def _(stage: Stage, honest: Rows, n: int, q: int) -> float:
    """The mean of honest rows is no farther off than the farthest of them; one round is too short to watch."""
    return float(np.linalg.norm(off_mean(honest), axis=1).max())


@spread.register(Clipping)
@spread.register(Arc)
@spread.register(Bounding)
def _(stage: Stage, honest: Rows, n: int, q: int) -> float:
    """What a row becomes lies between it and 0."""
    wide = honest.astype(np.float64)
    return float(max(np.linalg.norm(off_mean(honest), axis=1).max(), np.linalg.norm(wide.mean(axis=0))))


def options(member: type, kind: type) -> list[str]:
    """The options of a rule or stage that hold numbers of this kind, None allowed or not."""
    types = get_type_hints(member)
    known = [field.name for field in fields(member)]
    return [name for name in known if types[name] is kind or kind in get_args(types[name])]


NO_WHOLE_NUMBERS: list[Any] = [-1, 1.5, 1.0, np.float64(2.0), "2", True, np.bool_(True), np.nan, [1]]
NO_POSITIVE_NUMBERS: list[Any] = [0.0, -1.0, np.nan, np.inf, "1", True, None, [1.0]]
