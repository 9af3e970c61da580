"""What is computed once for a folder of results, and read from its file when the work there is resumed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from holdfast._version import __version__
from holdfast.files import write_atomic

T = TypeVar("T")


def kept(path: Path, about: dict[str, Any], find: Callable[[], Any], read: Callable[[Any], T]) -> T:
    """Return what `read` makes of the JSON in a file, if it is of this version and of what `about` says.

    Else find it and write the file. A file that is torn or of something else is written anew.
    """
    head = {"holdfast": __version__, **about}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["about"] == head:
            return read(content["found"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    found = json.dumps(find())
    write_atomic(path, f'{{"about": {json.dumps(head)}, "found": {found}}}\n'.encode())
    return read(json.loads(found))
