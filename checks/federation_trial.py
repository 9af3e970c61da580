"""The trial as `holdfast federation init` writes it, against the simulated engine, and averaging under the same attack.

    .venv-flower/bin/python checks/federation_trial.py [FOLDER]

4 nodes on this machine with TLS and keys, one of which flips signs, 20 rounds: the model must be that of the simulated
engine to the bit, within 10 minutes; averaging must end below 0.2. Both together take about 12 minutes.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from holdfast import simulate
from holdfast.data import load
from holdfast.federation.trial.supervisor import Trial
from holdfast.federation.trial.template import write_app
from holdfast.problems import Samples, Shards, Softmax

NODES, LIMIT = 4, 600.0


def task_of(app: Path) -> Any:
    """Return the app's own module that says what is learned."""
    spec = importlib.util.spec_from_file_location("task", app / "robust_app" / "task.py")
    assert spec is not None
    assert spec.loader is not None
    task: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(task)
    return task


def everyone(app: Path, workers: int) -> Softmax:
    """Return the problem of all nodes in one process."""
    task = task_of(app)
    parts = [task.samples(worker, workers) for worker in range(1, workers + 1)]
    features, targets = (np.concatenate(each) for each in zip(*parts, strict=True))
    sizes = np.cumsum([len(part[1]) for part in parts])[:-1]
    shards = Shards.deal(features.reshape(len(features), -1), targets, np.split(np.arange(len(targets)), sizes), 16.0)
    digits = load("digits")
    test = Samples(digits.test_features.reshape(len(digits.test_targets), -1), digits.test_targets)
    return Softmax(shards, 10, task.SPEC.batch, 1 / workers, 0, test)


def main() -> int:
    """Play both trials and return how many promises are broken."""
    folder = Path(sys.argv[1] if sys.argv[1:] else tempfile.mkdtemp())
    write_app(folder, NODES)
    method, broken = str(task_of(folder).SPEC.method_name), 0
    for config, name in (("", "rsa"), ('method="mean"', "mean")):
        begun = monotonic()
        trial = Trial(folder, NODES, byzantine=1, attack="sign-flip", config=config)
        records = trial.play(lambda line: print(line, flush=True))
        took, accuracy = monotonic() - begun, records[-1]["metrics"]["accuracy"]
        model = np.load(trial.secrets / "state" / "trial" / "server" / "model.npy")
        spec = task_of(folder).SPEC
        here = simulate(
            everyone(folder, NODES),
            spec.method if name == "rsa" else name,
            attack="sign-flip",
            byzantine=(NODES,),
            rounds=20,
            rate=0.001,
            eval_every=20,
        )
        same = model.tobytes() == here.model.tobytes()
        print(f"{method if name == 'rsa' else name}: {accuracy:.3f} after {took:.0f} s; simulated to the bit: {same}")
        broken += (not same) + (took > LIMIT) + (name == "mean" and accuracy >= 0.2)
    return broken


if __name__ == "__main__":
    sys.exit(main())
