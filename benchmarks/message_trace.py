"""How many files and calls one message takes: a round of RSA and of NNM with the trimmed mean, traced.

python -m benchmarks.message_trace     # functions of this package that one exchange and one step enter
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import holdfast
from holdfast import Spec
from holdfast.methods import Served
from holdfast.runs.experiment import Experiment, assemble
from holdfast.runs.plan import fill_defaults, remake_plan

HOME = str(Path(holdfast.__file__).parent)
METHODS = ("rsa:norm=1,penalty=0.1", "nnm+trimmed-mean")


def trace(play: Callable[[], Any]) -> tuple[set[str], list[CodeType]]:
    """Return the files of this package that a call enters, and the code of every function that it calls there."""
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            calls.append(frame.f_code)

    sys.setprofile(note)
    try:
        play()
    finally:
        sys.setprofile(None)
    return {code.co_filename for code in calls}, calls


def play(experiment: Experiment, state: Served, round: int) -> Served:
    return experiment.program.step(state, experiment.engine.exchange(state, round))


def main() -> None:
    for method in METHODS:
        spec = Spec(data="digits", method=method, rate=0.001, attack="sign-flip", byzantine=4)
        experiment = assemble(remake_plan(fill_defaults(spec)))
        state = play(experiment, experiment.program.init(experiment.problem.start()), 0)  # loads what is loaded once
        files, calls = trace(partial(play, experiment, state, 1))
        print(f"{method}: {len(files)} files, {len(calls)} calls")
        if "--list" in sys.argv:
            for code in calls:
                print(f"  {code.co_filename.removeprefix(HOME)[1:]}:{code.co_firstlineno} {code.co_qualname}")


if __name__ == "__main__":
    main()
