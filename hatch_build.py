"""The package's description: the README without what only works beside the other files of the repository.

A package index shows the description alone. There is no public address that pictures and links to files could lead to,
so that the picture is left to its caption, and a link to a file is its text, with the file's name.
"""

import re
from pathlib import Path

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # where the description is only looked at
    MetadataHookInterface = object

PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n+", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?://|#)([^)#]*)(?:#[^)]*)?\)")


def described(readme: str) -> str:
    """Return the description."""
    return LINK.sub(lambda found: _named(found[1], found[2]), PICTURE.sub("", readme))


def _named(text: str, file: str) -> str:
    return text if text == file else f"{text} (`{file}` in the source distribution)"


class Description(MetadataHookInterface):
    """Called when the package is built."""

    def update(self, metadata: dict) -> None:
        """Set the description."""
        text = described(Path(self.root, "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
