"""Our methods on Flower's simulation runtime: the simulated engine's model, bit for bit."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr.simulation")

from flwr.simulation import run_simulation

from holdfast.experiments import Spec, run
from holdfast.flower import client_app, server_app

# Ray, which the runtime starts, leaves its own processes to the collector of garbage, and warns of its ways
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("method", ["rsa", "rsa:messages=bits"])
def test_the_simulation_runtime(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FLWR_TELEMETRY_ENABLED", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "0")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    spec = Spec(data="digits", workers=3, rounds=3, eval_every=3, batch=8, method=method)
    resources = {"client_resources": {"num_cpus": 1, "num_gpus": 0}}
    run_simulation(server_app(spec), client_app(spec), num_supernodes=3, backend_config=resources)
    (model,) = tmp_path.glob("holdfast/federations/*/server/model.npy")
    assert np.load(model).tobytes() == run(spec).model.tobytes()
    assert len(list(model.parent.glob("rounds/*.json"))) == 3
