"""`holdfast predict`: predict with a finished run."""

import csv
import io
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.cli.reporter import Reporter
from holdfast.errors import InvalidInput
from holdfast.files import reason, write_atomic
from holdfast.runs.folder.run_folder import RunFolder
from holdfast.runs.predictor import Predictor


def add_flags(parser: ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN", help="the run folder")
    parser.add_argument(
        "file", metavar="FILE", help="table of samples, with or without the target: FILE[:key=value,...]"
    )
    parser.add_argument("--probabilities", action="store_true", help="add a column per class with its probability")
    parser.add_argument("--out", type=Path, metavar="FILE", help="table to write (default: standard output)")


def command(arguments: Namespace) -> int:
    reporter = Reporter(to_stderr=True)
    predictor = RunFolder(arguments.run).artifacts.predictor()
    encoded = predictor.encode(arguments.file)
    if encoded.strange:
        reporter.warn(f"{encoded.strange} cells hold texts that the training data never had; they count as 0")
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(_make_rows(predictor, encoded.features, arguments.probabilities))
    if arguments.out is None:
        sys.stdout.write(written.getvalue())
        return 0
    try:
        write_atomic(arguments.out, written.getvalue().encode())
    except OSError as error:
        raise InvalidInput(
            f"--out must name a file that can be written; got {arguments.out}: {reason(error)}"
        ) from None
    reporter.say(f"{len(encoded.features)} predictions: {arguments.out}")
    return 0


def _make_rows(predictor: Predictor, features: Any, probabilities: bool) -> Iterator[list[Any]]:
    predicted = predictor.predict(features).tolist()
    name = "prediction" if predictor.layout is None else predictor.layout.target
    if not probabilities:
        yield [name]
        yield from ([each] for each in predicted)
        return
    likely = predictor.probabilities(features)
    yield [name, *(f"p({label})" for label in predictor.labels or ())]
    for each, shares in zip(predicted, likely.tolist(), strict=True):
        yield [each, *(f"{share:.6g}" for share in shares)]
