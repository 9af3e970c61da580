"""What one would write with torch alone, on the CPU."""

import torch
from torch import Tensor

from benchmarks.contestants.ways import Way


def _directions(residuals: Tensor) -> Tensor:
    return (residuals / torch.linalg.vector_norm(residuals, dim=1, keepdim=True)).sum(dim=0)


def _largest(residuals: Tensor) -> Tensor:
    sizes = residuals.abs()
    largest = sizes == sizes.amax(dim=1, keepdim=True)
    return (residuals.sign() * largest / largest.sum(dim=1, keepdim=True)).sum(dim=0)


def _median(rows: Tensor) -> Tensor:
    n = len(rows)
    return rows.sort(dim=0).values[(n - 1) // 2 : n // 2 + 1].mean(dim=0)  # torch.median gives the lower of two


def _krum(rows: Tensor, byzantine: int) -> Tensor:
    distances = torch.cdist(rows, rows) ** 2
    distances.fill_diagonal_(torch.inf)
    scores = distances.sort(dim=1).values[:, : len(rows) - byzantine - 2].sum(dim=1)
    return rows[scores.argmin()]


def _weiszfeld(rows: Tensor, tolerance: float = 1e-7, limit: int = 1000) -> Tensor:
    middle = rows.mean(dim=0)
    for _ in range(limit):
        distances = torch.linalg.vector_norm(rows - middle, dim=1)
        weights = 1 / distances
        moved = weights @ rows / weights.sum()
        step = torch.linalg.vector_norm(moved - middle)
        middle = moved
        if step <= tolerance * distances.median():
            break
    return middle


RULES = {
    "mean": [Way(lambda given: given.tensor.mean(dim=0))],
    "sum of signs": [Way(lambda given: torch.sign(given.model_tensor - given.tensor).sum(dim=0))],
    "l2 pull": [
        Way(lambda given: _directions(given.model_tensor - given.tensor), differs="adds up squares in float32")
    ],
    "l-infinity pull": [Way(lambda given: _largest(given.model_tensor - given.tensor))],
    "median": [Way(lambda given: _median(given.tensor), "sort")],
    "trimmed mean": [
        Way(
            lambda given: (
                given.tensor.sort(dim=0).values[given.byzantine : len(given.rows) - given.byzantine].mean(dim=0)
            )
        )
    ],
    "Krum": [Way(lambda given: _krum(given.tensor, given.byzantine), "cdist")],
    "geometric median": [Way(lambda given: _weiszfeld(given.tensor), "classic Weiszfeld")],
}
