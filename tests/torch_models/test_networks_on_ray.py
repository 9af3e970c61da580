"""Networks in processes of Ray: each shard computes its own workers' gradients, to the bits of one process."""

from dataclasses import replace

import numpy as np
import pytest

from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

pytest.importorskip("torch")
pytest.importorskip("ray")

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_two_shards_give_the_bits_of_one_process() -> None:
    spec = Spec(data="digits", model="cnn:kernel=3,padding=1", method="rsa:norm=2,penalty=0.01", rate=1.0, rounds=5)
    spec = replace(spec, workers=8, attack="sign-flip", byzantine=3, gradients="layered", chunk=4)
    whole = run(spec)
    shards = run(replace(spec, engine="ray:shards=2"))
    assert np.array_equal(whole.model, shards.model)
