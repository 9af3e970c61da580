"""Who computes the rules, and how: a table of rules for each library, NumPy's being the reference."""

from importlib import import_module

from benchmarks.contestants.ways import Way

RULES = (
    "mean",
    "sum of signs",
    "l2 pull",
    "l-infinity pull",
    "median",
    "trimmed mean",
    "Krum",
    "geometric median",
    "packing bits",
    "counting bits",
)

LIBRARIES = {
    "NumPy": "with_numpy",
    "ours": "with_holdfast",
    "torch": "with_torch",
    "ByzFL": "with_byzfl",
    "ByzPy": "with_byzpy",
    "Flower": "with_flower",
}
"""In the order in which they are timed; the first is the reference."""

PEERS = ("ByzFL", "ByzPy", "Flower")


def installed() -> tuple[dict[str, dict[str, list[Way]]], dict[str, str]]:
    """Return the rules of every library that can be imported, and why the others cannot."""
    found, missing = {}, {}
    for library, module in LIBRARIES.items():
        try:
            found[library] = import_module(f"benchmarks.contestants.{module}").RULES
        except ImportError as error:
            missing[library] = f"{library} is not measured: {error}"
    return found, missing
