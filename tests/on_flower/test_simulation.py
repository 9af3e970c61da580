"""Our methods on Flower's simulation runtime: the simulated engine's model, bit for bit."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr.simulation")

from holdfast.experiments import Spec, run


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits"])
def test_the_simulation_runtime(method: str, tmp_path: Path) -> None:
    app = Path(__file__).with_name("simulated_app.py")
    done = subprocess.run(
        [sys.executable, app, method, tmp_path], check=False, timeout=240, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (model,) = tmp_path.glob("holdfast/federations/*/server/model.npy")
    spec = Spec(data="digits", workers=3, rounds=3, eval_every=3, batch=8, method=method)
    assert np.load(model).tobytes() == run(spec).model.tobytes()
    assert len(list(model.parent.glob("rounds/*.json"))) == 3
