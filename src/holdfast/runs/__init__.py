"""One run: spec, plan, experiment, run, metrics, observers, and the folder that survives `kill -9`."""
