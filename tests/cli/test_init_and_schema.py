"""`holdfast init` writes a spec that runs; `holdfast schema` says of every spec file whether it is one."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import command

from changed import ready
from holdfast.runs.spec import Spec
from strict_json import strict

DOCS = Path(__file__).parents[2] / "docs" / "runs.md"


@pytest.fixture(scope="module")
def schema() -> Any:
    found = strict(command("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(found)
    return found


# -- init ------------------------------------------------------------------------------------------------------


def test_what_init_writes_is_the_spec_that_was_asked_for(tmp_path: Path, schema: Any) -> None:
    asked = {"--method": "nnm+krum:byzantine=2", "--attack": "sign-flip:factor=-2", "--byzantine": "2,5", "--l2": "0.5"}
    asked |= {"--partition": "dirichlet:alpha=0.5", "--rounds": "7", "--dtype": "float64"}
    path = tmp_path / "new" / "mine.toml"
    written = command("init", str(path), *(word for pair in asked.items() for word in pair))
    assert written.status == 0, written.stderr
    assert f"holdfast run {path}" in written.stdout
    fields_of = {name[2:]: value for name, value in asked.items()}
    assert Spec.read(path) == Spec.of(fields_of | {"data": "digits"})
    jsonschema.validate(tomllib.loads(path.read_text()), schema)


def test_every_key_is_there_with_its_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("init").status == 0
    text = Path("spec.toml").read_text()
    plain = re.sub(r"\n# ", " ", text)
    for option in fields(Spec):
        key = "name" if option.name == option.metadata["section"] else option.name
        assert re.search(rf"^(# )?{key} = ", text, re.MULTILINE), option.name
        assert option.metadata["help"] in plain
    assert max(map(len, text.splitlines())) <= 100
    assert Spec.read(Path("spec.toml")) == Spec(data="digits")


def test_it_runs_as_it_stands(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    assert command("init", str(spec), "--rounds", "3").status == 0
    done = command("run", str(spec), "--out", str(tmp_path / "run"))
    assert done.status == 0, done.stderr
    assert Spec.read(tmp_path / "run" / "spec.toml") == ready(Spec(data="digits", rounds=3))


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text("mine")
    refused = command("init", str(path))
    assert (refused.status, path.read_text()) == (2, "mine")
    assert f"init writes a new file; got {path}, which is there already" in refused.stderr


# -- schema ----------------------------------------------------------------------------------------------------

SPECS = [
    Spec(),
    Spec(data="digits", method="rsa:norm=inf,penalty=auto", rate="auto"),
    Spec(data="mine.csv", method="nnm:byzantine=2+trimmed-mean:trim=4", attack="sign-flip", byzantine=(2, 5)),
    Spec(method="centered-clipping", partition="dirichlet:alpha=0.1,per=worker", engine="ray:shards=2"),
    Spec(attack="same-value:value=3", byzantine=1),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_what_a_spec_writes_is_valid(spec: Spec, schema: Any) -> None:
    jsonschema.validate(tomllib.loads(spec.to_toml()), schema)
    jsonschema.validate(spec.tables(), schema)


def documented() -> list[str]:
    return re.findall(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL)


VALID = [
    *documented(),
    'data = "digits"\nmethod = "nnm+krum"\nengine = "ray:shards=4"\n',
    "[training]\neval-every = 5\nrate = 'auto'\n",
    "[attack]\nbyzantine = 3\n",
    "[method]\nname = 'package.module:Name'\nanything = 3\n",
    "[method]\nname = 'rsa'\nlocal-steps = 2\nnorm = inf\n",
    "[data]\nname = 'digits'\npartition = { name = 'dirichlet', alpha = 0.5 }\n",
]
INVALID = [
    ("rounds = 3\n", "rounds"),
    ("[training]\nruonds = 3\n", "ruonds"),
    ("[training]\nrounds = 0\n", "minimum"),
    ("[training]\ndtype = 'float16'\n", "float16"),
    ("[method]\nname = 'krum'\nnorm = 2\n", "norm"),
    ("[method]\nname = 'rsa'\nmessages = 'bytes'\n", "bytes"),
    ("[method]\nnorm = 2\n", "norm"),
    ("[attack]\nname = 'sign-flip'\nfactor = 'much'\n", "much"),
    ("[data]\npartition = { name = 'dirichlet', alhpa = 0.5 }\n", "alhpa"),
]


@pytest.mark.parametrize("text", VALID)
def test_files_that_run_are_valid(text: str, schema: Any) -> None:
    jsonschema.validate(tomllib.loads(text), schema)


@pytest.mark.parametrize(("text", "named"), INVALID, ids=[text for text, _ in INVALID])
def test_files_that_are_refused_are_not(text: str, named: str, schema: Any) -> None:
    with pytest.raises(jsonschema.ValidationError) as refused:
        jsonschema.validate(tomllib.loads(text), schema)
    assert named in str(refused.value)


def test_help_and_names_are_in_it(schema: Any) -> None:
    text = str(schema)
    for option in fields(Spec):
        assert option.metadata["help"] in text or option.metadata["help"] in text.replace("\\'", "'")
    assert all(name in text for name in ("trimmed-mean", "same-value", "by-label", "least-squares", "theorem2"))
