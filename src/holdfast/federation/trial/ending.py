"""What a log of Flower's says of how its process ended, in one line."""

import re

STYLE = re.compile(r"\x1b\[[0-9;]*m|[\u2500-\u257f]")
"""Colours, and the frames that errors are drawn in."""
RAISED = re.compile(r"[\w.]*(?:Error|InvalidInput|TooFew|Exception): \S")
NOISE = re.compile(r"Exit Code:|An unhandled exception|For more information, visit|Traceback|Usage:|Try '")
LINES, LONGEST = 3, 300
"""An error in a frame is broken into lines."""


def told_by(log: str) -> str:
    """Return the last exception in a log, or else its last lines that say something.

    >>> told_by("")
    'nothing in its log'
    """
    lines = [" ".join(STYLE.sub(" ", line).split()) for line in log.splitlines()]
    telling = [line for line in lines if line and not NOISE.search(line)]
    raised = [line for line in telling if RAISED.match(line)]
    return (raised[-1] if raised else " ".join(telling[-LINES:]) or "nothing in its log")[:LONGEST]
