"""Errors that are foreseen: of the user's input, of storage, of the workers."""

from collections.abc import Iterable
from difflib import get_close_matches

INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended."""


class InvalidInput(ValueError):
    """Something given cannot work. The message says what must hold, then what was found."""


class GuessingWarning(UserWarning):
    """A fitted model is no better than guessing on the samples it was fitted to."""


class StorageError(OSError):
    """A file could not be written while the work was under way. What was written before it is whole."""


class EngineError(Exception):
    """The workers cannot continue: too few answer, or some are lost. The run stops and can be resumed."""


class TooFew(EngineError):
    """Fewer workers answered than a round needs. Their states are those before the round."""


def in_one_line(error: BaseException) -> str:
    """Return what went wrong: the message of a foreseen error, else with the name of its class.

    >>> in_one_line(InvalidInput("no")), in_one_line(KeyError("no"))
    ('no', "KeyError: 'no'")
    """
    return str(error) if isinstance(error, InvalidInput) else " ".join(f"{type(error).__name__}: {error}".split())


def unknown(kind: str, name: str, known: Iterable[str]) -> InvalidInput:
    """Return the error for an unknown name: the nearest known name, then all of them.

    >>> print(unknown("method", "krumm", ["rsa", "krum"]))
    unknown method 'krumm' (did you mean 'krum'?); known: rsa, krum
    """
    names = list(known)
    near = nearest(name, names)
    return InvalidInput(f"unknown {kind} {name!r}{did_you_mean(near)}; known: {', '.join(names)}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like this one, if any is."""
    return next(iter(get_close_matches(name, list(known), n=1)), None)


def did_you_mean(near: str | None) -> str:
    """Return the question, if there is something to ask."""
    return f" (did you mean {near!r}?)" if near else ""
