"""The three extensions in `examples/extend`, each as an object, as a text, and in a spec that uses it."""

from pathlib import Path
from typing import Any, NamedTuple

import holdfast as hf

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "extend"
FILES = sorted(FOLDER.glob("*.py"))
BASE = hf.Spec(data="digits", workers=7, rounds=12, eval_every=6, batch=8)


class Extension(NamedTuple):
    """A part of a spec that comes from outside."""

    field: str
    text: str
    options: str
    beside: dict[str, Any]
    """The rest of a spec in which it works."""

    def flags(self) -> list[str]:
        words = {"data": "digits", "workers": 7, "rounds": 12, "eval-every": 6, "batch": 8, **self.beside}
        given = [word for name, value in words.items() for word in (f"--{name}", str(value))]
        return [*given, f"--{self.field}", f"{self.text}:{self.options}"]


ATTACKED = {"attack": "sign-flip", "byzantine": 2}
EXTENSIONS = {
    "rule": Extension("method", "examples.extend.rule:ClippedMean", "factor=2", ATTACKED),
    "attack": Extension("attack", "examples.extend.attack:Backwards", "factor=3", {"method": "krum", "byzantine": 2}),
    "momentum": Extension("method", "examples.extend.momentum:MomentumMedian", "beta=0.5", ATTACKED),
}
