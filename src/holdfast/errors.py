"""What goes wrong in ways that are foreseen: the user's to mend, the machine's, the workers'."""

from collections.abc import Iterable
from difflib import get_close_matches

INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended."""


class InvalidInput(ValueError):
    """Something given cannot work. The message says what must hold, then what was found."""


class StorageError(OSError):
    """A file could not be written while the work was under way. What was written before it is whole."""


class EngineError(Exception):
    """The workers cannot go on: too few answer, or some are lost for good. The run stops and can be resumed."""


class TooFew(EngineError):
    """Fewer workers answered than a round needs. They have gone back to where they were before it."""


def unknown(kind: str, name: str, known: Iterable[str]) -> InvalidInput:
    """Return the error for a name that nobody knows: the nearest one, then all of them.

    >>> print(unknown("method", "krumm", ["rsa", "krum"]))
    unknown method 'krumm' (did you mean 'krum'?); known: rsa, krum
    """
    names = list(known)
    near = get_close_matches(name, names, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return InvalidInput(f"unknown {kind} {name!r}{hint}; known: {', '.join(names)}")
