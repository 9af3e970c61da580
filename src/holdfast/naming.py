"""From names to objects and back, for every part that a user can name, ours or from outside the package.

Four spellings of one thing meet here: `name:key=value,...` on the command line, a table with the keys `name` and the
part's own in TOML, `package.module:Name:key=value,...` for the user's own, and an object in Python.
"""

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_args

from holdfast.conversion import convert, plain, types_of
from holdfast.errors import InvalidInput, unknown

T = TypeVar("T")
_ABSENT = object()
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class Family(Generic[T]):
    """The parts of one kind, by name: classes and functions whose parameters are the part's options.

    >>> from holdfast.attacks import REGISTRY
    >>> attacks = Family("attack", REGISTRY)
    >>> flip = attacks.make("sign-flip:factor=-2")
    >>> flip, attacks.text(flip), attacks.table(flip)
    (SignFlip(factor=-2.0), 'sign-flip:factor=-2', {'name': 'sign-flip', 'factor': -2.0})
    """

    def __init__(
        self,
        kind: str,
        registry: Mapping[str, Callable[..., T]],
        makes: Callable[[Any], bool] = inspect.isclass,
        base: Any = object,
    ):
        self.kind, self.registry, self._makes, self._base = kind, registry, makes, base

    def make(self, given: Any) -> T:
        """Return the part that a text or a table describes. A class is instantiated with its defaults."""
        made: Any = given
        if isinstance(given, str):
            made = self._make(*self._parse(given))
        elif isinstance(given, Mapping):
            options = {str(key).replace("-", "_"): value for key, value in given.items()}
            name = options.pop("name", None)
            if not isinstance(name, str):
                raise InvalidInput(f"a table of {self._a_kind} needs a name; got the keys {', '.join(given) or 'none'}")
            made = self._make(name, options)
        elif inspect.isclass(given) and self._makes(given):
            made = self._build(cast(Callable[..., T], given), self.name(given), {})
        if not isinstance(made, self._base):
            bases = " or ".join(each.__name__ for each in get_args(self._base) or (self._base,))
            raise InvalidInput(f"{self._a_kind} must derive from {bases}; got {made!r}")
        return made  # type: ignore[no-any-return]

    def source(self, given: Any) -> dict[str, str] | None:
        """Return the source of a part, or of the part that a text names, if it is from outside the package."""
        if not isinstance(given, str):
            return source_of(given)
        name, _ = self._parse(given)
        return None if name in self.registry or ":" not in name else source_of(self._import(name))

    def name(self, part: Any) -> str:
        """Return the name of a part, without its options."""
        member = part if inspect.isroutine(part) or inspect.isclass(part) else type(part)
        known = (name for name, registered in self.registry.items() if registered is member)
        return next(known, f"{member.__module__}:{member.__qualname__}")

    def text(self, part: Any, full: bool = False) -> str:
        """Return a part as it is written on a command line: the options that are not defaults, or all of them."""
        options = ",".join(f"{key}={format_option(value)}" for key, value in options_of(part, full).items())
        return f"{self.name(part)}:{options}" if options else self.name(part)

    def table(self, part: Any) -> dict[str, Any]:
        """Return a part as it is written in TOML, every option that has a value."""
        return {"name": self.name(part), **options_of(part, full=True)}

    def usage(self, name: str) -> str:
        """Return how a registered part is written, with its defaults.

        >>> from holdfast.attacks import REGISTRY
        >>> Family("attack", REGISTRY).usage("sign-flip")
        'sign-flip:factor=-4'
        """
        parameters = _parameters(self.registry[name]).values()
        options = ",".join(
            f"{each.name}={'...' if each.default is each.empty else format_option(each.default)}"
            for each in parameters
            if each.default is not None
        )
        return f"{name}:{options}" if options else name

    def options(self, name: str) -> dict[str, Any]:
        """Return the types of a registered part's options.

        >>> from holdfast.attacks import REGISTRY
        >>> Family("attack", REGISTRY).options("sign-flip")
        {'factor': <class 'float'>}
        """
        member = self.registry[name]
        if not self._makes(member):
            return {}
        types = _types(member)
        return {key: types.get(key, Any) for key in _parameters(member)}

    @property
    def _a_kind(self) -> str:
        return f"{'an' if self.kind[0] in 'aeiou' else 'a'} {self.kind}"

    def _parse(self, text: str) -> tuple[str, dict[str, Any]]:
        name, _, rest = text.partition(":")
        first, _, after = rest.partition(":")
        if name not in self.registry and _IDENTIFIER.fullmatch(name) and _IDENTIFIER.fullmatch(first):
            name, rest = f"{name}:{first}", after
        options: dict[str, Any] = {}
        for argument in filter(None, rest.split(",")):
            key, equals, value = argument.partition("=")
            if not equals:
                raise InvalidInput(f"options of {self._a_kind} are written key=value; got {argument!r}")
            key = key.replace("-", "_")
            if key in options:
                raise InvalidInput(f"each option of {self.kind} {name!r} is given once; got {key} twice")
            options[key] = value
        return name, options

    def _make(self, name: str, given: Mapping[str, Any]) -> T:
        member = self.registry[name] if name in self.registry else self._import(name)
        if not self._makes(member):
            if given:
                raise InvalidInput(f"{self.kind} {name!r} takes no options; got {', '.join(given)}")
            return member  # type: ignore[return-value]  # the part itself, such as a function that is a rule
        return self._build(member, name, given)

    def _build(self, member: Callable[..., T], name: str, given: Mapping[str, Any]) -> T:
        known = _parameters(member)
        for key in given:
            if not known:
                raise InvalidInput(f"{self.kind} {name!r} takes no options; got {key}")
            if key not in known:
                raise unknown(f"option of {self.kind} {name!r}", key, known)
        types = _types(member)
        values = {
            key: convert(f"{key} of {self.kind} {name!r}", value, types.get(key, Any)) for key, value in given.items()
        }
        missing = [key for key, each in known.items() if key not in values and each.default is each.empty]
        if missing:
            raise InvalidInput(f"{self.kind} {name!r} needs {', '.join(missing)}; got {', '.join(given) or 'none'}")
        try:
            return member(**values)
        except InvalidInput:
            raise
        except ValueError as error:  # the constructor refused its values
            raise InvalidInput(f"{self.kind} {name!r} must accept its options; got {error}") from None

    def _import(self, name: str) -> Callable[..., T]:
        """Return what `package.module:Name` means."""
        module, _, path = name.partition(":")
        if not path:
            raise unknown(self.kind, name, [*self.registry, "package.module:Name"])
        try:
            found: Any = import_module(module)
            for attribute in path.split("."):
                found = getattr(found, attribute)
        except (ImportError, AttributeError) as error:
            raise InvalidInput(f"{self.kind} {name!r} must be something that can be imported; got {error}") from None
        return found  # type: ignore[no-any-return]


def options_of(part: Any, full: bool) -> dict[str, Any]:
    """Return the options of a part: all that have a value, or those that differ from their defaults.

    They are the fields of a dataclass, else the parameters of the class, which the part must keep as attributes.
    """
    told = ((key, default, _plain(getattr(part, key, _ABSENT))) for key, default in _defaults(part).items())
    found = {key: value for key, default, value in told if value is not None and (full or value != default)}
    if lost := [key for key, value in found.items() if value is _ABSENT]:
        raise InvalidInput(f"{type(part).__name__} must keep its options as attributes; got none named {lost[0]}")
    return found


def _defaults(part: Any) -> dict[str, Any]:
    if inspect.isclass(part) or inspect.isroutine(part):
        return {}
    if is_dataclass(part):
        options = [field for field in fields(part) if field.init]
        found = {option.name: option.default for option in options}
        if None in found.values() and all(each.default is not MISSING for each in options):
            made: Any = cast(Any, type(part))()  # None may stand for a default that the other options decide
            found = {name: getattr(made, name) for name in found}
        return found
    return {key: each.default for key, each in _parameters(type(part)).items()}


def summary(member: object) -> str:
    """Return the first line of a member's docstring."""
    return (inspect.getdoc(member) or "").strip().partition("\n")[0]


def source_of(part: Any) -> dict[str, str] | None:
    """Return the source of a part from outside the package: its name, file, and the hash of that file.

    None for a part of ours. A part without a file, such as a class typed into an interpreter, has no hash.
    """
    member = part if inspect.isroutine(part) or inspect.isclass(part) else type(part)
    if member.__module__.partition(".")[0] == __package__:
        return None
    about = {"name": f"{member.__module__}:{member.__qualname__}"}
    file = getattr(sys.modules.get(member.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        return about
    return about | {"file": str(Path(file).resolve()), "sha256": sha256(Path(file).read_bytes()).hexdigest()}


def _types(member: Callable[..., Any]) -> dict[str, Any]:
    return types_of(member.__init__ if inspect.isclass(member) else member)


def _parameters(member: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a class or function that can be given by name."""
    try:
        found = inspect.signature(member).parameters
    except ValueError:  # some that are written in C have no signature
        return {}
    return {name: each for name, each in found.items() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)}


def _plain(value: Any) -> Any:
    """Return a value as it is written; a part within a part is a text, its options separated by semicolons."""
    if is_dataclass(value) and not inspect.isclass(value):
        return Family("part", {}).text(value).replace(",", ";")
    return plain(value)


def format_option(value: Any) -> str:
    """Return the value of an option as it is written on a command line."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value).lower() if isinstance(value, bool) else str(value)
