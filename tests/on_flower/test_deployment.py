"""Real SuperLink and SuperNodes on loopback, TLS and keys: the simulated engine's model; nothing is left running."""

import os
import runpy
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr")

from holdfast.errors import EngineError, InvalidInput
from holdfast.federation.app_template import write_app
from holdfast.federation.tasks import simulate
from holdfast.federation.trial import Trial, find_processes


def test_certificates_and_keys_are_for_their_owner(tmp_path: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key, load_ssh_public_key

    write_app(tmp_path, nodes=2, host="server.example")
    secrets = tmp_path / ".trial"
    for name in ("server.key", "worker-1", "worker-2"):
        assert (secrets / name).stat().st_mode & 0o077 == 0
    authority, server = (
        x509.load_pem_x509_certificate((secrets / name).read_bytes()) for name in ("ca.crt", "server.pem")
    )
    server.verify_directly_issued_by(authority)
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "server.example"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
    keys = [load_ssh_private_key((secrets / f"worker-{n}").read_bytes(), None).public_key() for n in (1, 2)]
    assert keys[0] == load_ssh_public_key((secrets / "worker-1.pub").read_bytes())
    assert keys[0] != keys[1]


def test_a_wrong_host_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--host must be a name or an address; got 'not a host'"):
        write_app(tmp_path / "app", nodes=1, host="not a host")
    assert not (tmp_path / "app").exists()


def end_superlink(trial: Trial) -> None:
    """Kill the SuperLink, as a machine that loses power would; it answers nobody any more."""
    for pid in find_processes(trial.home):
        if b"flower-superlink" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)


def test_a_deployment_equals_the_simulated_engine(tmp_path: Path) -> None:
    """Full models, local steps, a module of PyTorch."""
    pytest.importorskip("torch")
    write_app(tmp_path, nodes=3, framework="torch")
    trial = Trial(tmp_path, nodes=3, byzantine=1, attack="sign-flip", config="rounds=3")
    said: list[str] = []
    assert [record["answered"] for record in trial.play(said.append)] == [3, 3, 3]
    assert "round 3 of 3, accuracy " in said[-1]
    assert find_processes(trial.home) == []
    assert_simulated(trial)


def test_a_deployment_is_gone_on_with_after_its_superlink_was_killed(tmp_path: Path) -> None:
    """Bits, NumPy: from the files of both sides, to the model of the simulated engine."""
    method = "rsa:messages=bits,penalty=0.2"
    write_app(tmp_path, nodes=3)
    trial = Trial(tmp_path, nodes=3, byzantine=1, attack="sign-flip", config=f'rounds=3 method="{method}"')
    with pytest.raises(EngineError, match=r"the SuperLink must stay|the run must play all"):
        trial.play(lambda line: end_superlink(trial) if line.startswith("round 1 of") else None)
    assert find_processes(trial.home) == []
    trial = replace(trial, resume=True)
    assert [record["answered"] for record in trial.play(lambda line: None)] == [3, 3, 3]
    assert find_processes(trial.home) == []
    assert_simulated(trial, method)


def assert_simulated(trial: Trial, method: str | None = None) -> None:
    """The trial has ended at the model of the simulated engine."""
    app = runpy.run_path(str(trial.folder / "robust_app" / "task.py"))
    played = len(list(trial.server.glob("rounds/*.json")))
    spec = replace(app["SPEC"], workers=trial.nodes, rounds=played, method=method or app["SPEC"].method)
    here = simulate(spec, app["task"], trial.attack, trial.byzantine)
    assert np.load(trial.server / "model.npy").tobytes() == here.model.tobytes()
