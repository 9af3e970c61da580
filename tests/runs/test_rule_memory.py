"""Rules that remember and stages that draw: what they carry is in the checkpoint, what they draw has an address."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import outsiders
from holdfast.aggregators import CenteredClipping, Remembering
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Setting
from holdfast.methods.priors import Ridge
from holdfast.methods.schedules import Constant
from holdfast.runs.folder.checkpoint import Checkpoint
from holdfast.runs.observers import Interrupted
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.stages import Bucketing
from holdfast.states import arrays_of, fill_state
from holdfast.typing import Messages, Rows, Vector
from stopping import StopAfter

BASE = Spec(data="digits", method="rsa", workers=10, rounds=24, eval_every=6, checkpoint_every=5, batch=4)
ATTACKED = replace(BASE, byzantine=(2, 6), attack="sign-flip")


def stopped(spec: Spec, folder: Path, after: int) -> Checkpoint:
    stop = StopAfter(after)
    with pytest.raises(Interrupted):
        run(spec, folder, stop, stop)
    return Checkpoint.of_bytes((folder / "checkpoint.npz").read_bytes())


@pytest.mark.parametrize("after", [1, 5, 13, 23])
@pytest.mark.parametrize(
    "method",
    [
        "centered-clipping:radius=0.05",
        "centered-clipping:radius=0.05,steps=3",
        "nnm+centered-clipping:radius=0.05",
        "bucketing+centered-clipping:radius=0.05",
        "bucketing:size=3+nnm:byzantine=1+median",
        "outsiders:Lagged",
    ],
)
def test_a_resumed_run_is_the_uninterrupted_one(method: str, after: int, tmp_path: Path) -> None:
    spec = replace(ATTACKED, method=method)
    whole = run(spec)
    stopped(spec, tmp_path / "run", after)
    resumed = resume(tmp_path / "run")
    assert resumed.model.tobytes() == whole.model.tobytes()
    assert resumed.history == whole.history


def test_the_memory_is_in_the_checkpoint(tmp_path: Path) -> None:
    """After round 1 of rate alpha at l2 = 0: x = -alpha n v, so v is the model over -alpha n."""
    spec = replace(BASE, method="centered-clipping:radius=0.05", l2=0.0, rate=0.5, schedule="constant")
    kept = stopped(spec, tmp_path / "run", 1)
    assert set(kept.master) == {"model", "memory.vector"}
    np.testing.assert_allclose(kept.master["memory.vector"], kept.master["model"] / (-0.5 * 10), rtol=1e-5)
    assert np.abs(kept.master["memory.vector"]).max() > 0


def test_without_its_memory_it_would_be_another_run(tmp_path: Path) -> None:
    """So that the test above can fail: zeros in place of what is remembered lead elsewhere."""
    spec = replace(ATTACKED, method="centered-clipping:radius=0.05")
    kept = stopped(spec, tmp_path / "run", 13)
    forgotten = replace(kept, master=dict(kept.master) | {"memory.vector": np.zeros_like(kept.master["model"])})
    (tmp_path / "run" / "checkpoint.npz").write_bytes(forgotten.to_bytes())
    assert resume(tmp_path / "run").model.tobytes() != run(spec).model.tobytes()


def test_a_checkpoint_of_another_state_is_refused(tmp_path: Path) -> None:
    kept = stopped(ATTACKED, tmp_path / "run", 13)
    other = replace(kept, master=dict(kept.master) | {"memory.vector": kept.master["model"]})
    (tmp_path / "run" / "checkpoint.npz").write_bytes(other.to_bytes())
    with pytest.raises(InvalidInput, match=r"a checkpoint must hold \('model',\); got \('model', 'memory.vector'\)"):
        resume(tmp_path / "run")


def test_centred_clipping_goes_on_from_its_last_result() -> None:
    """Radius 1, rows 5 and 5: v = 1, then 2, then 3; x moves by alpha n v = 0.2 v."""
    setting = Setting(Constant(0.1), Ridge(0.0))
    program = Aggregated(CenteredClipping(radius=1.0)).program(setting)
    state, moved = program.init(np.array([0.0])), []
    for round in range(3):
        before = state.model
        state = program.step(state, Messages(np.array([[5.0], [5.0]]), np.array([1, 2]), round))
        moved.append(float((before - state.model)[0]))
    assert moved == pytest.approx([0.2, 0.4, 0.6])


def test_bucketing_draws_by_seed_and_round() -> None:
    rows, workers = np.arange(8.0)[:, np.newaxis], np.arange(1, 9)

    def buckets(seed: int, round: int) -> list[float]:
        return [float(x) for x in np.asarray(Bucketing()(Messages(rows, workers, round, seed)).rows).ravel()]

    assert buckets(3, 7) == buckets(3, 7)
    assert len({tuple(buckets(seed, round)) for seed in range(3) for round in range(3)}) == 9
    assert sum(buckets(3, 7)) == pytest.approx(rows.sum() / 2)


def test_bucketing_in_a_run_draws_by_the_runs_seed() -> None:
    """Every round other buckets: the median over them is another rule than the median of fixed ones."""
    spec = replace(ATTACKED, method="bucketing+median")
    assert run(spec).model.tobytes() == run(spec).model.tobytes()
    assert run(spec).model.tobytes() != run(replace(ATTACKED, method="median")).model.tobytes()
    assert run(spec).model.tobytes() != run(replace(spec, method=Aggregated(FixedBuckets()))).model.tobytes()


@dataclass(frozen=True)
class FixedBuckets:
    """The median over buckets that never change."""

    def __call__(self, rows: Rows) -> Vector:
        return np.asarray(np.median(Bucketing()(rows), axis=0), rows.dtype)


class Inner(NamedTuple):
    count: Any


class Outer(NamedTuple):
    inner: Inner
    sums: Any


@dataclass(frozen=True)
class Deep(Remembering[Outer]):
    """A rule whose memory holds a state within a state."""

    def init(self, model: Vector) -> Outer:
        return Outer(Inner(np.zeros(1)), np.zeros_like(model))

    def step(self, state: Outer, messages: Messages) -> tuple[Vector, Outer]:
        sums = state.sums + np.asarray(messages.rows).mean(axis=0)
        count = state.inner.count + 1
        return (sums / count[0]).astype(sums.dtype), Outer(Inner(count), sums)


def test_states_within_states(tmp_path: Path) -> None:
    spec = replace(BASE, method=Aggregated(Deep()))
    whole, kept = run(spec), stopped(spec, tmp_path / "run", 9)
    assert set(kept.master) == {"model", "memory.inner.count", "memory.sums"}
    assert kept.master["memory.inner.count"].tolist() == [9.0]
    assert resume(tmp_path / "run").model.tobytes() == whole.model.tobytes()


def test_states_become_arrays_and_back() -> None:
    state = Outer(Inner(np.arange(2)), np.ones(3))
    arrays = arrays_of(state)
    assert list(arrays) == ["inner.count", "sums"]
    again = fill_state(state, {name: array + 1 for name, array in arrays.items()})
    assert (again.inner.count.tolist(), again.sums.tolist()) == ([1, 2], [2, 2, 2])
    with pytest.raises(InvalidInput, match="a checkpoint must hold"):
        fill_state(state, {"sums": np.ones(3)})


def test_a_rule_with_memory_from_outside_remembers() -> None:
    """Medians 1, 3: results 0.5, 2."""
    rule = outsiders.Lagged()
    state = rule.init(np.zeros(1))
    for value, expected in ((1.0, 0.5), (3.0, 2.0)):
        vector, state = rule.step(state, Messages(np.full((3, 1), value), np.arange(1, 4), 0))
        assert vector.tolist() == [expected]
