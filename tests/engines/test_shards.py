"""Shards of a spec: a member holds its own workers' samples only; who else is told what."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from changed import ready
from holdfast.engines.engine_options import Ray
from holdfast.errors import InvalidInput
from holdfast.problems import LinearProblem
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.workbench import SHARED
from holdfast.studies.comparison import compare

SPEC = ready(Spec(data="digits", workers=7, batch=8, byzantine=2, attack="sign-flip"))


def test_a_shard_holds_the_samples_of_its_own_workers_only() -> None:
    problem = SHARED.build(SPEC).problem
    assert isinstance(problem, LinearProblem)
    own = problem.only(3, 5).shards
    assert len(own.features) == len(own.targets) == problem.shards.starts[5] - problem.shards.starts[2]
    for worker in (3, 4, 5):
        for mine, theirs in zip(own.of(worker), problem.shards.of(worker), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert own.of(1)[0].size == own.of(7)[0].size == 0


def test_without_ray_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidInput, match=r"engine ray needs Ray: pip install 'holdfast\[ray\]'"):
        run(replace(SPEC, engine=Ray()))


def test_comparisons_use_the_cores_themselves() -> None:
    with pytest.raises(InvalidInput, match="with engine simulated; got another"):
        compare([replace(SPEC, engine=Ray())])
