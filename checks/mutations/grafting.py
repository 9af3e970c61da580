"""A module's changed source, put into the functions and classes that others have imported already."""

import inspect
from types import FunctionType, ModuleType
from typing import Any


def graft(module: ModuleType, source: str) -> None:
    """Make the module's functions, methods, class attributes and constants those of `source`, in this process."""
    new: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source, str(module.__file__), "exec"), new)
    for name, value in new.items():
        old = vars(module).get(name)
        if getattr(value, "__module__", None) == module.__name__ and isinstance(value, FunctionType | type):
            _transfer(old, value)
        elif isinstance(value, int | float | tuple):
            setattr(module, name, value)


def _transfer(old: Any, new: Any) -> None:
    if isinstance(new, property):
        old, new = old.fget, new.fget
    if isinstance(new, staticmethod | classmethod):
        old, new = old.__func__, new.__func__
    if isinstance(new, FunctionType):
        old, new = inspect.unwrap(old), inspect.unwrap(new)
        old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    elif isinstance(new, type):
        for name, value in vars(new).items():
            if isinstance(value, FunctionType | property | staticmethod | classmethod):
                _transfer(vars(old)[name], value)
            elif isinstance(value, int | float | str | tuple) and not name.startswith("__"):
                setattr(old, name, value)
        for name, field in getattr(new, "__dataclass_fields__", {}).items():
            old.__dataclass_fields__[name].default = field.default
            if isinstance(field.default_factory, FunctionType):
                _transfer(old.__dataclass_fields__[name].default_factory, field.default_factory)
