"""What the configuration of an app says of a federation: fields of its spec, and where and how long."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from platformdirs import user_state_path

from holdfast.errors import InvalidInput
from holdfast.runs.plan import resolved
from holdfast.runs.spec import Spec

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Settings:
    """A federation as both sides read it from the same configuration."""

    spec: Spec
    run: str
    round_timeout: float | None = None
    """Seconds that a round waits for nodes; None waits for all."""
    min_workers: int = 1
    """Answers that a round needs."""

    @classmethod
    def of(cls, spec: Spec, config: Mapping[str, Any], run_id: int) -> Self:
        """Return the settings of a spec under the configuration of a run: `rounds=20 method="rsa:messages=bits"`.

        >>> Settings.of(Spec(), {"rounds": 20, "round-timeout": 60}, run_id=7).spec.rounds
        20
        """
        known = {field.name for field in fields(Spec)}
        given = {key.replace("-", "_"): value for key, value in config.items()}
        changed = {key: value for key, value in given.items() if key in known and value != ""}
        run = str(given.get("run_name") or run_id)
        if not NAME.fullmatch(run):
            raise InvalidInput(f"run-name must be letters, digits, dots and dashes; got {run!r}")
        timeout = float(given.get("round_timeout", 0))
        return cls(resolved(replace(spec, **changed)), run, timeout or None, int(given.get("min_workers", 1)))

    def folder(self, config: Mapping[str, Any], who: str) -> Path:
        """Return where this side keeps its checkpoints: `state-dir` of its own configuration, else the user's."""
        chosen = config.get("state-dir")
        base = Path(str(chosen)) if chosen else user_state_path("holdfast") / "federations"
        return base / self.run / who
