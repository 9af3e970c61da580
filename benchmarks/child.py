"""One section in a process of its own: `python -m benchmarks.child SECTION FILE PROCESS [quick]`."""

import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.record import Effort


def main() -> None:
    name, file, process, *quick = sys.argv[1:]
    section = import_module(f"benchmarks.sections.{name}")
    if section.THREADS:
        _limit_torch(section.THREADS)
    record = section.measure(Effort(bool(quick), int(process)))
    Path(file).write_text(json.dumps(asdict(record)))


def _limit_torch(threads: int) -> None:
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(threads)


if __name__ == "__main__":
    main()
