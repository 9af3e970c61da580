#!/bin/sh
# Build .venv-bench: holdfast as CI has it, torch for the CPU, and the peers it is measured against.
# About 1.8 GB. torch comes first and alone: any other order brings gigabytes of CUDA.
#
# All live in one environment, so that they are timed in one process. So the peers are installed without the
# bounds on their dependencies (ByzPy asks for numpy < 2.1 and torch < 2.6, Flower for rich < 15), and their rules
# are checked against NumPy's before they are timed. torchvision, which ByzFL imports for its training loop, has
# no build for this torch; benchmarks/contestants/with_byzfl.py puts a stub in its place.
set -eu
cd "$(dirname "$0")/.."
venv=${1:-.venv-bench}
${PYTHON:-python3} -m venv "$venv"
pip() { "$venv/bin/pip" --disable-pip-version-check --quiet "$@" --no-compile; }
pip install torch==2.13.0
pip install --constraint requirements/constraints.txt --requirement benchmarks/requirements.txt --editable .
pip install --no-deps byzfl==0.0.11 byzpy==0.1.4 flwr==1.42.0
"$venv/bin/python" -m benchmarks.versions
touch "$venv/installed"
