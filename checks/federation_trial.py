"""The trial as `holdfast federation init` writes it, against the simulated engine, and averaging under the same attack.

    .venv-flower/bin/python checks/federation_trial.py [FOLDER [FRAMEWORK]]

4 nodes on this machine with TLS and keys, one of which flips signs, 20 rounds: the model must be that of the simulated
engine to the bit, within 10 minutes; averaging must end below 0.2. Both together take about 12 minutes.
"""

import runpy
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import monotonic

import numpy as np

from holdfast.federation.app_template import write_app
from holdfast.federation.tasks import simulate
from holdfast.federation.trial import Trial

NODES, LIMIT = 4, 600.0


def main() -> int:
    """Play both trials and return how many promises are broken."""
    folder = Path(sys.argv[1] if sys.argv[1:] else tempfile.mkdtemp())
    write_app(folder, NODES, *sys.argv[2:])
    app, broken = runpy.run_path(str(folder / "robust_app" / "task.py")), 0
    for config, spec in (("", app["SPEC"]), ('method="mean"', replace(app["SPEC"], method="mean"))):
        begun = monotonic()
        trial = Trial(folder, NODES, byzantine=1, attack="sign-flip", config=config)
        records = trial.play(lambda line: print(line, flush=True))
        took, accuracy = monotonic() - begun, records[-1]["metrics"]["accuracy"]
        here = simulate(spec, app["task"], "sign-flip", 1)
        same = np.load(trial.server / "model.npy").tobytes() == here.model.tobytes()
        print(f"{spec.method}: {accuracy:.3f} after {took:.0f} s; simulated to the bit: {same}", flush=True)
        broken += (not same) + (took > LIMIT) + (spec.method_name == "mean" and accuracy >= 0.2)
    return broken


if __name__ == "__main__":
    sys.exit(main())
