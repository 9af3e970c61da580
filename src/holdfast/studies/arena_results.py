"""What to conclude from an arena, in sentences drawn from its numbers."""

from collections.abc import Sequence
from math import isnan

from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS
from holdfast.methods import Method, method_labels, method_text
from holdfast.runs.cautions import join_names
from holdfast.runs.spec_parts import data_text, model_text
from holdfast.studies.arena_plan import Arena
from holdfast.studies.leaderboard import BoutResult, Leaderboard, Standing
from holdfast.typing import Json

NEAR = 0.02
"""Methods whose worst cases differ by less are named together."""
BROKEN = 0.5
"""A method whose worst case keeps less than this share is called broken."""
WAY = "of the way from guessing to the ceiling"
NO_LEADER = "No method could be played in every condition."


def headline(board: Leaderboard) -> str:
    """Return the methods that keep most in the worst case, over all conditions."""
    if not (leaders := _leaders(board, f" {WAY}")):
        return NO_LEADER
    if not any(board.overall(method) for method in board.ranked):
        return "In the worst case over all attacks no method is better than guessing."
    return f"In the worst case over all attacks {leaders}."


def conclusions(board: Leaderboard) -> list[str]:
    """Return the methods that hold, the attack that breaks most others, and the leaders of each of several tasks."""
    tasks = board.by_task.items() if len(board.by_task) > 1 else ()
    told = [f"{task.text}: {f'{leaders}.' if (leaders := _leaders(each)) else NO_LEADER}" for task, each in tasks]
    return [breaking(board), *told]


def _leaders(board: Leaderboard, share_of: str = "") -> str:
    """Return the methods that keep most, and the next best; nothing if no method could be played everywhere."""
    names = method_labels(board.ranked)
    scores = {method: score for method in board.ranked if (score := board.overall(method)) is not None}
    if not scores:
        return ""
    top = max(scores.values())
    first = [method for method, score in scores.items() if score >= top - NEAR]
    level = [method for method in scores if method not in first and (board.ranks(method) or (0,))[0] == 1]
    rest = [score for method, score in scores.items() if method not in (*first, *level)]
    keep = "keeps" if len(first) == 1 else "keep"
    apart = _join([f"{names[method]} ({scores[method]:.0%})" for method in level]) if level else ""
    noise = f", and {board.seeds} seeds do not tell {apart} apart" if level else ""
    next_best = f"; the next best keeps {max(rest):.0%}" if rest else ""
    return f"{_join([names[method] for method in first])} {keep} {top:.0%}{share_of}{noise}{next_best}"


def breaking(board: Leaderboard) -> str:
    """Return which methods hold everywhere, and which attack breaks most of the others."""
    attacked = [condition for condition in board.conditions if condition.byzantine]
    names = method_labels(board.ranked)
    holding = [
        names[method] for method in board.ranked if all(_holds(board.standing(method, each)) for each in attacked)
    ]
    broken: dict[str, list[Method]] = {}
    for cell in (cell for standing in board.standings if standing.condition.byzantine for cell in standing.cells):
        if not cell.failure and cell.share < BROKEN:
            attack, method = cell.bout.attack, cell.bout.method
            broken.setdefault("none" if attack is None else ATTACKS.text(attack), []).append(method)
    kept = f"{BROKEN:.0%} {WAY} in every condition"
    first = f"{_join(holding)} {'keeps' if len(holding) == 1 else 'keep'}" if holding else "No method keeps"
    if not broken:
        return f"{first} at least {kept}."
    worst = max(broken, key=lambda attack: (len(set(broken[attack])), len(broken[attack])))
    count = f"{len(set(broken[worst]))} of {len(names)}"
    return f"{first} at least {kept}; the attack that breaks most methods is {worst} ({count})."


def list_guessers(board: Leaderboard) -> list[str]:
    """Return for each condition the methods that are no better than guessing in their worst case."""
    names, lines = method_labels(board.ranked), []
    for condition in board.conditions:
        cells = {names[each]: board.standing(each, condition).worst for each in board.ranked}
        guessers = {name: cell for name, cell in cells.items() if cell is not None and cell.guesses}
        if guessers:
            level = next(cell.guessing for cell in guessers.values())
            worst = " in the worst case" if condition.byzantine else ""
            some = f"{join_names(guessers)} ({len(guessers)} of {len(names)} methods)"
            lines.append(f"No better than guessing ({level:.3f}){worst}, {condition.text}: {some}.")
    return lines


def _holds(standing: Standing) -> bool:
    return standing.share is not None and standing.share >= BROKEN


def _join(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def collect_results(arena: Arena, board: Leaderboard, factors: Sequence[float] = ()) -> Json:
    """Return what `holdfast arena --json` prints."""
    return {
        "headline": headline(board),
        "conclusion": breaking(board),
        "base": arena.base.to_json(),
        "honest": arena.honest,
        "seeds": list(arena.seeds),
        "factors": list(factors),
        "score": board.score.name,
        "leaderboard": [
            {"method": method_text(each), "overall": board.overall(each), "ranks": board.ranks(each)}
            for each in board.ranked
        ],
        "standings": [_standing(standing) for standing in board.standings],
    }


def _standing(standing: Standing) -> Json:
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


def _cell(cell: BoutResult) -> Json:
    if cell.failure is not None:
        return {"attack": attack_text(cell), "failure": cell.failure}
    first = cell.records[0].spec
    return {
        "attack": attack_text(cell),
        "final": cell.final.mean,
        "interval": None if isnan(cell.final.low) else [cell.final.low, cell.final.high],
        "by_seed": cell.by_seed,
        "best": cell.best,
        "drop": cell.drop,
        "guessing": cell.guessing,
        "ceiling": cell.ceiling,
        "kept": cell.share,
        "honest_left_out": cell.honest_left_out,
        "method": method_text(first.method),
        "rate": first.rate,
    }
