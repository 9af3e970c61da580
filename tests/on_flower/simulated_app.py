"""Run an app on Flower's simulation runtime, METHOD STATE_FOLDER, in a process whose end is the end of Ray."""

import os
import sys

if __name__ == "__main__":
    method, folder = sys.argv[1:]
    os.environ |= {"FLWR_TELEMETRY_ENABLED": "0", "RAY_USAGE_STATS_ENABLED": "0", "XDG_STATE_HOME": folder}
    from flwr.simulation import run_simulation

    from holdfast.experiments import Spec
    from holdfast.flower import client_app, server_app

    spec = Spec(data="digits", workers=3, rounds=3, eval_every=3, batch=8, method=method)
    # its own Ray: without an address it would join whatever cluster this machine ran last
    ray = {"address": "local", "include_dashboard": False, "num_cpus": 2}
    resources = {"num_cpus": 1, "num_gpus": 0}
    run_simulation(
        server_app(spec),
        client_app(spec),
        num_supernodes=3,
        backend_config={"client_resources": resources, "init_args": ray},
    )
