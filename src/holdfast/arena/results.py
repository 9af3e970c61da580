"""An arena as strict JSON: the leaderboard and every cell."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from holdfast.arena.conclusions import breaking, headline
from holdfast.arena.leaderboard import Leaderboard, Standing
from holdfast.arena.plan import Arena
from holdfast.arena.scores import BoutResult
from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS
from holdfast.experiments.given import data_text, model_text
from holdfast.methods import method_text


def results_of(arena: Arena, board: Leaderboard, factors: Sequence[float] = ()) -> dict[str, Any]:
    """Return what `holdfast arena --json` prints."""
    return {
        "headline": headline(board),
        "conclusion": breaking(board),
        "base": arena.base.to_json(),
        "honest": arena.honest,
        "seeds": list(arena.seeds),
        "factors": list(factors),
        "leaderboard": [{"method": method_text(each), "overall": board.overall(each)} for each in board.ranked],
        "standings": [_standing(standing) for standing in board.standings],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    condition = standing.condition
    return {
        "method": method_text(standing.method),
        "data": data_text(condition.task.data),
        "model": model_text(condition.task.model),
        "partition": PARTITIONS.text(condition.partition),
        "byzantine": condition.byzantine,
        "declared": condition.declared,
        "score": standing.score,
        "worst": None if standing.worst is None else attack_text(standing.worst),
        "cells": [_cell(cell) for cell in standing.cells],
    }


def attack_text(cell: BoutResult) -> str:
    """Return the attack of a cell as it is written on a command line."""
    return "none" if cell.bout.attack is None else ATTACKS.text(cell.bout.attack)


def _cell(cell: BoutResult) -> dict[str, Any]:
    if cell.failure is not None:
        return {"attack": attack_text(cell), "failure": cell.failure}
    first = cell.records[0].spec
    return {
        "attack": attack_text(cell),
        "final": cell.final.mean,
        "interval": None if isnan(cell.final.half) else cell.final.half,
        "by_seed": [record.accuracy or 0.0 for record in cell.records],
        "best": cell.best,
        "drop": cell.drop,
        "ceiling": cell.ceiling,
        "honest_left_out": cell.honest_left_out,
        "method": method_text(first.method),
        "rate": first.rate,
    }
