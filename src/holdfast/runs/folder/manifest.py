"""How a run began: the spec, and what `versions.json` says of its data, its code and its machine."""

import json
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from holdfast.engines.engine_options import ENGINES
from holdfast.errors import InvalidInput
from holdfast.files import LOCK, is_half_written, reason, write_atomic
from holdfast.runs.folder.environment import versions
from holdfast.runs.folder.sealed import describe_damage, seal, unseal
from holdfast.runs.spec import Spec
from holdfast.typing import Json

SPEC, VERSIONS = "spec.toml", "versions.json"


def begin(path: Path, spec: Spec, data_digest: str) -> None:
    """Write both files; with the second of them the run is born."""
    text = encode_spec(spec)
    began = {"data_sha256": data_digest, "spec_sha256": sha256(text).hexdigest(), "sources": spec.sources()}
    write_atomic(path / VERSIONS, seal(versions() | began | {"engine": engine_text(spec)}), parents=False)
    write_atomic(path / SPEC, text, parents=False)


def is_unstarted(path: Path) -> bool:
    """Return whether a folder holds no more than a run may leave that is killed before it is born."""
    names = {each.name for each in path.iterdir()} - {LOCK}
    names = {name for name in names if not any(is_half_written(name, of) for of in (VERSIONS, SPEC))}
    if names != {VERSIONS}:
        return not names
    with suppress(ValueError, KeyError, TypeError):
        return "spec_sha256" in unseal((path / VERSIONS).read_bytes())
    return False


def require_started(path: Path) -> None:
    """Refuse a folder in which no run began."""
    try:
        if (path / SPEC).is_file():
            return
        unborn = path.is_dir() and any(path.iterdir()) and is_unstarted(path)
    except OSError as error:
        raise InvalidInput(f"a run's folder must be readable; got {path}: {reason(error)}") from None
    hint = ", whose run was killed before it began: start it again with --out" if unborn else ""
    raise InvalidInput(f"a run's folder must hold its spec.toml; got {path}{hint}")


class Manifest:
    """What was written down when the run in a folder began, unharmed."""

    def __init__(self, path: Path) -> None:
        require_started(path)
        self.path = path

    @cached_property
    def about(self) -> Json:
        """What `versions.json` holds."""
        path = self.path / VERSIONS
        try:
            about = unseal(path.read_bytes())
            texts = [about[key] for key in ("spec_sha256", "data_sha256", "engine")]
            if not (isinstance(about["sources"], list) and all(isinstance(each, str) for each in texts)):
                raise ValueError("other kinds of values")
        except OSError as error:
            raise InvalidInput(
                f"a run's folder must hold the checksums of spec and data; got {path}: {reason(error)}"
            ) from None
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{path} must hold the checksums of spec and data; got {describe_damage(error)}"
            ) from None
        return about

    @cached_property
    def spec(self) -> Spec:
        """The spec, which must be as it was when the run began."""
        path = self.path / SPEC
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"a run's folder must hold a readable spec; got {path}: {reason(error)}") from None
        if self.about["spec_sha256"] != sha256(content).hexdigest():
            raise InvalidInput(f"a run keeps the spec it began with; got {path}, which was changed since")
        return Spec.read(path)

    @cached_property
    def identity(self) -> str:
        """A hash of what the run computes: its spec, its data, and the code from outside the package."""
        sources = [[source["name"], source.get("sha256")] for source in self.about["sources"]]
        text = json.dumps([self.about["spec_sha256"], self.about["data_sha256"], sources])
        return sha256(text.encode()).hexdigest()

    def check_data(self, digest: str) -> None:
        """Refuse to resume with other data than the run began with."""
        if (data := self.about["data_sha256"]) != digest:
            raise InvalidInput(f"a run resumes on the data it began with, SHA-256 {data[:12]}...; got {digest[:12]}...")

    def check_sources(self, spec: Spec) -> None:
        """Refuse to resume with other code than the run began with, where it comes from outside the package.

        What makes the data may be another one: those are known by their own checksum.
        """
        before = {source["name"]: source.get("sha256") for source in self.about["sources"]}
        for source in spec.sources():
            if source["name"] in before and source.get("sha256") != before[source["name"]]:
                raise InvalidInput(
                    f"a run resumes with the code it began with; got a changed {source.get('file', source['name'])}"
                )


def engine_text(spec: Spec) -> str:
    """Return where a spec is computed, in words that read back equal."""
    return ENGINES.text(spec.engine, full=True)


def encode_spec(spec: Spec) -> bytes:
    """Return a spec as its file has it."""
    try:
        return spec.to_toml().encode()
    except UnicodeEncodeError as error:  # as of a path whose bytes are no UTF-8
        raise InvalidInput(f"a run in a folder needs names that are text; got {error.object[:200]!r}") from None
