"""What is done to the messages of a round before a rule reads them."""

from holdfast.stages.base import Stage

REGISTRY: dict[str, type[Stage]] = {}

__all__ = ["REGISTRY", "Stage"]
