"""`holdfast schema`: the JSON Schema of spec files, for editors."""

import json
from argparse import ArgumentParser, Namespace

from holdfast.runs.spec_schema import schema


def add_flags(parser: ArgumentParser) -> None: ...


def command(arguments: Namespace) -> int:
    print(json.dumps(schema(), indent=1, allow_nan=False))
    return 0
