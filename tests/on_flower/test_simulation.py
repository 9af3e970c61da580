"""`flwr run` in simulation of the app that `init` writes: the simulated engine's model, bit for bit."""

import json
import os
import runpy
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

pytest.importorskip("flwr.simulation")

from holdfast.federation.app_template import write_app
from holdfast.federation.tasks import simulate
from holdfast.federation.trial import end_processes

ENVIRONMENT = {
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_TELEMETRY_ENABLED": "0",
    "RAY_ADDRESS": "local",  # a cluster that was killed on this machine is joined otherwise, and waited for
    "RAY_USAGE_STATS_ENABLED": "0",
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
}


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start the SuperLink that `flwr run` would start by itself, at a port of its own instead of the one for all."""
    home = tmp_path / "home"
    home.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "local"\n[superlink.local]\naddress = "127.0.0.1:{port}"\ninsecure = true\n'
    )
    variables = os.environ | ENVIRONMENT | {"FLWR_HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}
    command = ["flower-superlink", "--insecure", "--simulation", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "superlink.log").open("wb") as log:
        link = subprocess.Popen(command, env=variables, stdout=log, stderr=log, start_new_session=True)
    try:
        until = monotonic() + 120
        while not _listens(port):
            assert link.poll() is None, (tmp_path / "superlink.log").read_text()[-2000:]
            assert monotonic() < until
            sleep(0.1)
        yield variables
    finally:
        end_processes(home)
        link.wait()


def test_flwr_run_equals_the_simulated_engine(environment: dict[str, str], tmp_path: Path) -> None:
    app = tmp_path / "app"
    write_app(app, nodes=1)
    methods = {
        "full": "rsa:penalty=3,local_steps=5",
        "bits": "rsa:messages=bits,penalty=0.2",
        "sides": "watchful-rsa:messages=bits,penalty=0.2,every=1",
    }
    for name, method in methods.items():
        config = f'rounds=3 workers=3 run-name="{name}" method="{method}"'
        command = ["flwr", "run", ".", "--stream", "--run-config", config]
        done = subprocess.run(
            [*command, "--federation-config", "num-supernodes=3"],
            check=False, timeout=240, capture_output=True, text=True, env=environment, cwd=app,
        )  # fmt: skip
        assert "round 3 of 3: accuracy" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
        (server,) = tmp_path.glob(f"state/holdfast/federations/{name}/server")
        records = [json.loads(path.read_text()) for path in sorted(server.glob("rounds/*.json"))]
        assert [record["answered"] for record in records] == [3, 3, 3]
        task = runpy.run_path(str(app / "robust_app" / "task.py"))
        here = simulate(replace(task["SPEC"], workers=3, rounds=3, method=method), task["task"])
        assert np.load(server / "model.npy").tobytes() == here.model.tobytes()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
