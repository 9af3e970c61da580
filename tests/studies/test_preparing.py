"""How an arena prepares its runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

import pytest

from holdfast.attacks import Duplicate, SignFlip
from holdfast.data import ByLabel, Iid
from holdfast.methods import make_method
from holdfast.runs.spec import Spec
from holdfast.studies.arena_plan import Arena
from holdfast.studies.arena_play import play_arena
from holdfast.studies.study import Arrived, Study


class Prepared(Exception):
    """Ends an arena before its first run."""


def test_each_problem_is_built_once_however_many_methods_attacks_and_seeds(problems_made: list[object]) -> None:
    """Two partitions with two seeds are four problems; the runs of each follow each other too."""
    methods, base = tuple(map(make_method, ("rsa", "median"))), Spec(data="digits", rate="auto", rounds=7, workers=8)
    arena = Arena(
        base,
        ("digits",),
        (None,),
        methods,
        (SignFlip(), Duplicate()),
        (ByLabel(), Iid()),
        ((1, 1), (2, 2)),
        seeds=(0, 1),
    )
    wanted: list[Spec] = []

    @contextmanager
    def telling(specs: Sequence[Spec]) -> Iterator[Arrived]:
        wanted.extend(specs)
        raise Prepared
        yield

    with pytest.raises(Prepared):
        play_arena(arena, Study(1, telling=telling))
    assert len(problems_made) == 4
    assert len(wanted) == 2 * len(arena.bouts())
    assert len(list(groupby(wanted, lambda spec: (spec.partition, spec.seed)))) == 4
