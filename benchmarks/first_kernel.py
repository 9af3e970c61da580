"""Print how long numba itself takes until one small kernel that it compiled before has run."""

import json

import numpy as np

from benchmarks.timing import once


def main() -> None:
    row = np.zeros((1, 4), np.float32)
    numba = once(lambda: __import__("numba"))[0]
    from benchmarks.floors import read_once

    first, again = (once(lambda: read_once(row))[0] for _ in range(2))
    print(json.dumps({"numba": numba, "kernels": first - again, "together": numba + first - again}))


if __name__ == "__main__":
    main()
