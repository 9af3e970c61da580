"""Kernels and whole rounds of this holdfast against another one, in ratios.

    python -m benchmarks.strict OTHER/src [--only TEXT] [--turns N]

Two processes, one for each, take turns call by call, so that whatever slows the machine down meets both alike; the
least time of each counts. The other one is a checkout of an earlier commit.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent.parent


class Contestant:
    """A process that imports holdfast from this folder and times what it is told to."""

    def __init__(self, source: Path, cache: str) -> None:
        environment = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{HERE}", "HOLDFAST_CACHE": cache}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.strict_child"],
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.names: list[str] = json.loads(self._read())

    def seconds(self, name: str) -> float:
        assert self.process.stdin is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self._read())

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--turns", type=int, default=40)
    arguments = parser.parse_args()
    print(f"| | {arguments.other}: ms | this: ms | ratio |\n| --- | ---: | ---: | ---: |")
    with TemporaryDirectory() as before, TemporaryDirectory() as now:
        other, ours = Contestant(arguments.other.absolute(), before), Contestant(HERE / "src", now)
        for name in (name for name in ours.names if arguments.only in name):
            for contestant in (other, ours):  # compile
                contestant.seconds(name)
            times = [(other.seconds(name), ours.seconds(name)) for _ in range(arguments.turns)]
            a, b = (1000 * min(some) for some in zip(*times, strict=True))
            print(f"| {name} | {a:.4g} | {b:.4g} | {b / a:.2f} |", flush=True)


if __name__ == "__main__":
    main()
