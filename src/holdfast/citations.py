"""The sources of methods, attacks and partitions as BibTeX: each names its keys in `cites`."""

from importlib.resources import files
from typing import Any

from holdfast import stages
from holdfast.attacks import ATTACKS
from holdfast.data import PARTITIONS
from holdfast.errors import unknown
from holdfast.methods import make_method, reduction

_ENTRIES = files("holdfast").joinpath("citations.bib").read_text(encoding="utf-8")

BIBTEX: dict[str, str] = {
    entry.partition("{")[2].partition(",")[0]: entry.strip() for entry in _ENTRIES.strip().split("\n\n")
}
"""Every source by its key."""


def citations_of(method: Any) -> list[str]:
    """Return the BibTeX entries of a method's sources: of its stages, from left to right, then of its rule.

    A method is given as a text, a table or an object; one from outside the package names its own sources.

    >>> [entry.partition(",")[0] for entry in citations_of("nnm+krum")]
    ['@inproceedings{allouah2023fixing', '@inproceedings{blanchard2017machine']
    >>> citations_of("sgd")
    []
    """
    keys = dict.fromkeys(key for part in _parts(method) for key in getattr(part, "cites", ()))
    return [_entry(key) for key in keys]


def _parts(given: Any) -> tuple[Any, ...]:
    name = given.partition(":")[0] if isinstance(given, str) else ""
    if name in ATTACKS.registry:
        return (ATTACKS.make(given),)
    for registry in (reduction.REGISTRY, stages.REGISTRY, PARTITIONS.registry):
        if name in registry:
            return (registry[name],)
    first, *before = make_method(given).parts
    return (*before, first)


def _entry(key: str) -> str:
    """Return the entry of a key; a text that is one already stands for itself."""
    if key.lstrip().startswith("@"):
        return key.strip()
    if key not in BIBTEX:
        raise unknown("source", key, BIBTEX)
    return BIBTEX[key]
