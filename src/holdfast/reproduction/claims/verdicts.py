"""The file of all verdicts, so that a change is noticed."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import tomli_w

from holdfast.errors import InvalidInput
from holdfast.reproduction.claims.claim import Judged


def to_toml(judged: Iterable[Judged]) -> str:
    """Return the verdicts as a TOML file; those about seconds are left out, another machine may judge otherwise."""
    return tomli_w.dumps(_lasting(judged))


def differences(judged: Iterable[Judged], path: Path) -> list[str]:
    """Return a line for each claim whose verdict is not the one on record."""
    try:
        known = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"expected verdicts must be in a readable TOML file; got {path}: {error}") from None
    found = _lasting(judged)
    return [
        f"{name}: {found.get(name, 'not judged')}, on record: {known.get(name, 'nothing')}"
        for name in dict.fromkeys([*known, *found])
        if found.get(name) != known.get(name)
    ]


def _lasting(judged: Iterable[Judged]) -> dict[str, str]:
    """Return the verdicts by claim, without those about seconds."""
    return {each.claim.name: each.verdict.value for each in judged if not each.claim.timed}
