"""Data sets that come over the network: fetched once, checked against their checksums, kept as they came."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from holdfast.data.dataset import Dataset
from holdfast.data.sources import Source, Unavailable
from holdfast.errors import InvalidInput
from holdfast.files import cache_folder, read_verified, write_atomic


@dataclass(frozen=True)
class FetchedSet(ABC):
    """Files with their SHA-256 checksums, and where they may be had."""

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
        """Bring every file into the cache from the first source that delivers it intact."""
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
        """Return the data set, fetching first what the cache lacks."""
        files = {name: read_verified(self.folder / name, checksum) for name, checksum in self.checksums.items()}
        if None in files.values():
            self.fetch()
            return self.load()
        return self.read({name: content for name, content in files.items() if content})

    @abstractmethod
    def read(self, files: Mapping[str, bytes]) -> Dataset:
        """Return the data set that these files hold."""
