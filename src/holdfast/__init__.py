"""Distributed learning that holds when workers lie and their data differ."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.public import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Load what is asked for, not before: the command is there to answer Ctrl-C while NumPy and others load."""
        if not name.startswith("_") and find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        public = import_module("holdfast.public")
        if name in ("__all__", *public.__all__):
            return getattr(public, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *import_module("holdfast.public").__all__})
