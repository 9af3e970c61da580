"""A compromised node sends what its attack makes of its own update, and nothing that others know."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from holdfast import attacks
from holdfast.attacks import LabelPoisoning, LocalAttack, WithMemory
from holdfast.attacks.threats import BatchPoisoning
from holdfast.errors import InvalidInput
from holdfast.federation.compromise import Compromise

SENT: dict[str, NDArray[Any]] = {
    "w": np.full((2, 1), 10.0, np.float32),
    "steps": np.array(3),
    "b": np.zeros(1, np.float32),
}
TRAINED: dict[str, NDArray[Any]] = {
    "w": np.array([[11.0], [9.0]], np.float32),
    "steps": np.array(4),
    "b": np.full(1, 2.0, np.float32),
}


def test_the_update_is_attacked_not_the_model() -> None:
    lie = Compromise.of("sign-flip").model(SENT, TRAINED, worker=1, round=1)
    assert lie["w"].tolist() == [[6.0], [14.0]]  # 10 - 4 and 10 + 4
    assert lie["b"].tolist() == [-8.0]
    assert lie["steps"] == 4


LOCAL = {name: kind for name, kind in attacks.REGISTRY.items() if issubclass(kind, LocalAttack)}
ELSEWHERE = {name for name, kind in LOCAL.items() if issubclass(kind, WithMemory | LabelPoisoning | BatchPoisoning)}


@pytest.mark.parametrize("name", sorted(LOCAL.keys() - ELSEWHERE))
def test_every_local_attack_keeps_names_types_and_shapes(name: str) -> None:
    lie = Compromise.of(name).model(SENT, TRAINED, worker=2, round=1)
    assert list(lie) == list(SENT)
    assert all(lie[each].dtype == SENT[each].dtype and lie[each].shape == SENT[each].shape for each in SENT)


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_what_needs_samples_or_a_memory_is_refused(name: str) -> None:
    wanted = "a node can only mount an attack without memory; got" if name == "delayed" else "which changes samples"
    with pytest.raises(InvalidInput, match=wanted):
        Compromise.of(name)


@pytest.mark.parametrize("name", sorted(attacks.REGISTRY.keys() - LOCAL.keys()))
def test_what_one_process_cannot_mount_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"a node alone can only mount a LocalAttack; got {name}, which sees"):
        Compromise.of(name)


def test_draws_belong_to_worker_and_round() -> None:
    def lie(worker: int, round: int) -> list[float]:
        lies: list[float] = Compromise.of("gaussian", seed=5).model(SENT, TRAINED, worker, round)["w"][:, 0].tolist()
        return lies

    assert lie(1, 1) == lie(1, 1)
    assert len({tuple(lie(worker, round)) for worker in (1, 2) for round in (1, 2)}) == 4
