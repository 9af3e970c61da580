from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from holdfast.conversion import convert_fields
from holdfast.data.partitions.partition import Partition, Parts, require_enough
from holdfast.errors import InvalidInput
from holdfast.typing import Array, Targets


@dataclass(frozen=True)
class Assignment(Partition):
    """Samples go where a file says: an .npy or .csv file with one worker's number, from 1, per training sample.

    The `sha256` of the file is kept with its name, so that a run is not resumed on another assignment; it need not be
    given. A .csv file holds the numbers in one column or one line, without a header.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "who.csv")
    ...     _ = file.write_text("1,2,2,1")
    ...     Assignment(str(file)).deal(np.zeros(4), workers=2, generator=np.random.default_rng(0))
    [array([0, 3]), array([1, 2])]
    """

    file: str
    sha256: str = ""

    def __post_init__(self) -> None:
        convert_fields(self)
        if Path(self.file).suffix not in (".npy", ".csv"):
            raise InvalidInput(f"assignment needs an .npy or .csv file; got {self.file}")
        if not self.sha256:
            object.__setattr__(self, "sha256", sha256(self._content()).hexdigest())

    def deal(self, labels: Targets, workers: int, generator: np.random.Generator) -> Parts:
        require_enough(labels, workers)
        found = sha256(self._content()).hexdigest()
        if found != self.sha256:
            raise InvalidInput(f"{self.file} must be the file of SHA-256 {self.sha256}; got {found}")
        numbers = self._numbers()
        if len(numbers) != len(labels):
            raise InvalidInput(
                f"{self.file} must have one number for each of {len(labels)} training samples; got {len(numbers)}"
            )
        strange = np.setdiff1d(numbers, np.arange(1, workers + 1))
        if strange.size:
            raise InvalidInput(f"{self.file} must hold workers' numbers from 1 to {workers}; got {strange[0]:g}")
        idle = np.setdiff1d(np.arange(1, workers + 1), numbers)
        if idle.size:
            raise InvalidInput(f"{self.file} must give every worker a sample; got none for worker {idle[0]}")
        return [np.flatnonzero(numbers == worker) for worker in range(1, workers + 1)]

    def _content(self) -> bytes:
        try:
            return Path(self.file).read_bytes()
        except OSError as error:
            raise InvalidInput(f"assignment needs a file that can be read; got {self.file}: {error.strerror}") from None

    def _numbers(self) -> Array:
        try:
            if Path(self.file).suffix == ".npy":
                numbers = np.load(self.file, allow_pickle=False)
            else:
                text = Path(self.file).read_text(encoding="utf-8").replace(",", " ")
                numbers = np.array([float(number) for number in text.split()])
        except (ValueError, OSError, EOFError) as error:
            raise InvalidInput(f"{self.file} must hold workers' numbers; got {error}") from None
        if not isinstance(numbers, np.ndarray) or numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
            raise InvalidInput(f"{self.file} must hold workers' numbers, one after another; got another array")
        return numbers
