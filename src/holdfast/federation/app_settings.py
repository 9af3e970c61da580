"""The settings of a federation in the configuration of its app: fields of the spec, time limits, folders."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from platformdirs import user_state_path

from holdfast.errors import InvalidInput
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Settings:
    """Settings that server and nodes read from the same configuration."""

    spec: Spec
    run: str
    round_timeout: float | None = None
    """Seconds that a round waits for nodes; None waits for all nodes."""
    min_workers: int = 1
    """Answers that a round needs."""

    @classmethod
    def of(cls, spec: Spec, config: Mapping[str, Any], run_id: int) -> Self:
        """Return the settings of a spec under the configuration of a run: `rounds=20 method="rsa:messages=bits"`.

        >>> Settings.of(Spec(), {"rounds": 20, "round-timeout": 60}, run_id=7).spec.rounds
        20
        """
        known = {field.name for field in fields(Spec)}
        values = {key.replace("-", "_"): value for key, value in config.items()}
        overrides = {key: value for key, value in values.items() if key in known and value != ""}
        run = str(values.get("run_name") or run_id)
        if not NAME.fullmatch(run):
            raise InvalidInput(f"run-name must be letters, digits, dots and dashes; got {run!r}")
        timeout = float(values.get("round_timeout", 0))
        return cls(fill_defaults(replace(spec, **overrides)), run, timeout or None, int(values.get("min_workers", 1)))

    def folder(self, config: Mapping[str, Any], side: str) -> Path:
        """Return the folder of one side's checkpoints: in `state-dir` of its own configuration, else the user's."""
        chosen = config.get("state-dir")
        base = Path(str(chosen)) if chosen else user_state_path("holdfast") / "federations"
        return base / self.run / side
