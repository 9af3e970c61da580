"""How a run ended: its final model, as it is and for use, and its result."""

import io
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.errors import InvalidInput
from holdfast.files import content_of
from holdfast.problems import REGISTRY
from holdfast.runs.folder.sealed import describe_damage, seal, unseal
from holdfast.runs.predictor import Predictor
from holdfast.typing import Json

MODEL, PREDICTOR, RESULT = "model.npy", "model.json", "result.json"


def ending_files(
    identity: str, records: str, result: Mapping[str, Any], model: NDArray[Any], predictor: Predictor | None
) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents in the order to write them: with the last one the run is over.

    `identity` is that of the run, `records` the seal of its last record.
    """
    file = io.BytesIO()
    np.save(file, model, allow_pickle=False)
    yield MODEL, file.getvalue()
    if predictor is not None:
        yield PREDICTOR, seal({"run": identity} | predictor.to_json())
    digest = sha256(file.getvalue()).hexdigest()
    yield RESULT, seal(dict(result) | {"of": {"run": identity, "records": records, "model_sha256": digest}})


class Artifacts:
    """What the run in a folder left when it was over, unharmed; of a run that is not over, nothing."""

    def __init__(self, path: Path, identity: str) -> None:
        self.path, self._identity = path, identity

    @cached_property
    def _written(self) -> Json | None:
        path = self.path / RESULT
        try:
            content = content_of(path)
            written = None if content is None else unseal(content)
            if written is not None and written["of"]["run"] != self._identity:
                raise ValueError("that of another run")
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path} must hold the result of this run; got {describe_damage(error)}") from None
        return written

    @property
    def records(self) -> str | None:
        """The seal of the last record."""
        return None if self._written is None else str(self._written["of"]["records"])

    @property
    def result(self) -> Json | None:
        return None if self._written is None else {key: value for key, value in self._written.items() if key != "of"}

    def predictor(self) -> Predictor:
        """Return the model, for use."""
        if self._written is None:
            raise InvalidInput(f"predict needs a run that is over; got {self.path}: resume it with holdfast resume")
        path = self.path / PREDICTOR
        content = content_of(path)
        if content is None:
            raise InvalidInput(f"predict needs a model of {', '.join(REGISTRY)} that did not diverge; got no {path}")
        try:
            values = unseal(content)
            if values["run"] != self._identity:
                raise ValueError("that of another run")
            return Predictor.of_json(values)
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path} must hold the model of this run; got {describe_damage(error)}") from None
