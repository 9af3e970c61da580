"""The lines of `records.jsonl`: evaluations, each sealed to its run and to all lines before it.

    seal_0 = identity of the run,    seal_k = SHA-256(seal_(k-1), evaluation k)

So a line that was changed, moved, or written by another run differs from every line that this run wrote.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from holdfast.runs.metrics import Evaluation


class Line(NamedTuple):
    """One evaluation on record."""

    evaluation: Evaluation
    seal: str

    def __str__(self) -> str:
        return json.dumps(self.evaluation.to_json() | {"seal": self.seal}, allow_nan=False) + "\n"


def seal_line(evaluation: Evaluation, before: str) -> Line:
    """Return the line that follows one with the seal `before`."""
    text = json.dumps(evaluation.to_json(), allow_nan=False)
    return Line(evaluation, sha256(f"{before}\n{text}".encode()).hexdigest()[:16])


def parse_line(text: str, before: str) -> Line:
    """Return the line that this text is, or raise ValueError if it is none that follows the seal `before`."""
    try:
        values = json.loads(text)
        seal = values.pop("seal")
        line = seal_line(Evaluation.of(values), before)
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError(str(error)) from None
    if line.seal != seal:
        raise ValueError("its seal is wrong")
    return line


def find_intact(texts: Iterable[str], identity: str) -> list[Line]:
    """Return the lines of the run with this identity, up to the first that is not one of them."""
    lines: list[Line] = []
    for text in texts:
        try:
            lines.append(parse_line(text, lines[-1].seal if lines else identity))
        except ValueError:
            break
    return lines
