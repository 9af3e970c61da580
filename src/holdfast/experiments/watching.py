"""Whoever looks on while a run goes on, and what stops it."""

import logging
from pathlib import Path
from typing import Protocol

from holdfast.experiments.metrics import Evaluation
from holdfast.experiments.spec import Spec

logger = logging.getLogger(__name__)


class Watcher(Protocol):
    """Someone who looks on."""

    def started(self, spec: Spec, round: int) -> None: ...
    def played(self, round: int) -> None: ...
    def evaluated(self, evaluation: Evaluation) -> None: ...
    def warned(self, text: str) -> None: ...


class Unwatched:
    """Nobody looks on; warnings are logged."""

    def started(self, spec: Spec, round: int) -> None: ...
    def played(self, round: int) -> None: ...
    def evaluated(self, evaluation: Evaluation) -> None: ...

    def warned(self, text: str) -> None:
        logger.warning(text)


class Unheard(Unwatched):
    """Nobody is told warnings; results keep them."""

    def warned(self, text: str) -> None: ...


class Interrupted(Exception):
    """The run was asked to stop, or its workers could not go on; its folder, if it has one, can be resumed."""

    def __init__(self, round: int, folder: Path | None, why: str = "") -> None:
        super().__init__(f"stopped after round {round}{why}")
        self.round, self.folder = round, folder
        self.lost = bool(why)
        """Whether it was for want of workers: then it may be resumed with fewer processes, or in one."""
