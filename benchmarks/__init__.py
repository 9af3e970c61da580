"""How fast holdfast is: against reading its input once, against NumPy and torch, against other libraries.

`benchmarks/install.sh` builds `.venv-bench`; `.venv-bench/bin/python -m benchmarks` measures and prints. Each
section is measured in several fresh processes, and what is shown is the median over them; a ratio is taken
within each process first. A contestant's result is checked before it is timed.
"""
