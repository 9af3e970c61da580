"""Change every rule, stage and attack in every small way, and name the changes that no test notices.

`python -m mutations [WORD ...]`, in `checks`, takes only the files with one of the words in their paths. Ends with
status 1 if a change goes unnoticed that `equivalent.toml` does not explain.
"""

import importlib
import os
import sys
import time
import tomllib
from functools import partial
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from holdfast import kernels
from mutations.grafting import graft
from mutations.mutants import Mutant, mutants
from mutations.trying import Called, called, passes

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "src/holdfast" / family for family in ("aggregators", "stages", "attacks")]
TESTS = [
    *(ROOT / "tests/values" / f"test_{name}.py" for name in ("rules", "field_rules", "stage_values", "attack_values",
      "weights", "poisoning", "catalogue_constants")),
    *(ROOT / "tests/laws" / f"test_{name}.py" for name in ("aggregators", "stages", "attacks", "attack_memory",
      "attack_strength", "registries", "ties")),
    ROOT / "tests/watching",
]  # fmt: skip
FEW, EXAMPLES = 2, 25
"""Examples of hypothesis per test: to see what a test calls, and to see whether it notices a change."""
SECONDS = 2.0
"""The tests that one change is given, the shortest first, took this long with few examples."""


class Check:
    """A plugin of pytest that, instead of the tests, runs them once for each change."""

    def __init__(self, words: list[str]) -> None:
        paths = sorted(path for folder in SOURCES for path in folder.glob("*.py") if path.name != "__init__.py")
        self.paths = [path for path in paths if not words or any(word in str(path) for word in words)]
        self.explained = tomllib.loads((Path(__file__).parent / "equivalent.toml").read_text())
        self.unnoticed = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        _examples(FEW)
        threadpool_limits(1)  # children are forked, and threads do not survive that
        kernels.set_threads(1)
        begun, total, explained = time.monotonic(), 0, 0
        calls = called(session.items, self.paths)
        print(f"\n{len(session.items)} tests took {time.monotonic() - begun:.0f} s", flush=True)
        _examples(EXAMPLES)
        for path in self.paths:
            if not self._passes(session.items, calls, Mutant(path, "", "", "", path.read_text())):
                raise RuntimeError(f"tests of {path} must pass as long as nothing is changed")
            survivors = 0
            found = list(mutants(path))
            for mutant in found:
                if self._passes(session.items, calls, mutant):
                    if self._explains(mutant):
                        explained += 1
                    else:
                        survivors += 1
                        print(mutant, flush=True)
            total += len(found)
            self.unnoticed += survivors
            print(f"{path.relative_to(ROOT)}: {len(found)} changes, {survivors} unnoticed", flush=True)
        seconds = time.monotonic() - begun
        print(f"{total} changes in {seconds:.0f} s: {total - self.unnoticed - explained} noticed, ", end="")
        print(f"{explained} explained, {self.unnoticed} unnoticed")
        return True

    def _passes(self, items: list[pytest.Item], calls: Called, mutant: Mutant) -> bool:
        where = str(mutant.path)
        tests = calls.get((where, mutant.function)) or [*calls.get(("", ""), []), *calls.get((where, ""), [])]
        spent = 0.0
        chosen: list[pytest.Item] = []
        for seconds, place in tests:
            spent += seconds
            if chosen and spent > SECONDS:
                break
            chosen.append(items[place])
        name = ".".join(mutant.path.relative_to(ROOT / "src").with_suffix("").parts)
        return passes(chosen, partial(graft, importlib.import_module(name), mutant.source))

    def _explains(self, mutant: Mutant) -> bool:
        known = self.explained.get(f"{mutant.path.parent.name}/{mutant.path.name}", [])
        return any((each["before"], each["after"]) == (mutant.before, mutant.after) for each in known)


def _examples(number: int) -> None:
    import hypothesis  # not before pytest has seen its plugin

    name = f"mutations, {number} examples"
    hypothesis.settings.register_profile(name, deadline=None, max_examples=number, derandomize=True)
    hypothesis.settings.load_profile(name)


def main() -> int:
    os.environ["PYTHONHASHSEED"] = "0"
    check = Check(sys.argv[1:])
    modules = [str(path) for path in [*SOURCES, *TESTS]]
    status = pytest.main(["-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(ROOT), *modules], plugins=[check])
    return int(status) or int(check.unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
