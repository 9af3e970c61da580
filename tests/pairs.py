"""Methods under attacks: enough pairs that every method and every attack meets some of every kind of the other."""

from holdfast import attacks, methods

TOGETHER = 3
"""Attacks that a method is tried under beside those that follow it around the registry."""
ALL_ATTACKS = ("rsa", "sgd", "median", "centered-clipping")
"""Methods that are tried under all: models, plain gradients, a rule, a rule with memory."""


def pairs() -> list[tuple[str, str]]:
    """Return pairs of method and attack; "none" is an attack, too."""
    names = ["none", *attacks.REGISTRY]
    found = [(method, attack) for method in ALL_ATTACKS for attack in names]
    for place, method in enumerate(methods.REGISTRY):
        found += [(method, names[(TOGETHER * place + step) % len(names)]) for step in range(TOGETHER)]
    return list(dict.fromkeys(found))
