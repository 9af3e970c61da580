"""How a spec is written: sections in TOML, read back equal; older files refused with a line that says where it goes."""

import json
from dataclasses import fields, replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import attacks, data, engines, methods, problems, stages
from holdfast.attacks import Duplicate, SameValue
from holdfast.data import Assignment, Dirichlet, Partition
from holdfast.engines import InProcess, Ray
from holdfast.engines.engine_options import REGISTRY as ENGINES
from holdfast.errors import InvalidInput
from holdfast.methods import Aggregated, Rsa
from holdfast.runs.plan import drop_ignored, fill_defaults
from holdfast.runs.spec import Spec, read_toml
from holdfast.runs.spec_sections import SECTIONS
from strict_json import strict


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return path


def read_back(spec: Spec, folder: Path) -> Spec:
    return Spec.read(written(folder, spec.to_toml()))


PARTITIONS: dict[str, Partition | str] = {name: name for name in data.partitions.REGISTRY} | {
    "dirichlet": Dirichlet(0.3),
    "assignment": Assignment(str(Path(__file__).parents[1] / "assigned.csv")),
}
MEMBERS: list[dict[str, Any]] = [
    *({"method": name} for name in methods.REGISTRY),
    *({"method": f"{stage}+median"} for stage in stages.REGISTRY),
    *({"attack": name} for name in attacks.REGISTRY),
    *({"partition": partition} for partition in PARTITIONS.values()),
    *({"problem": name} for name in problems.REGISTRY),
    *({"data": name} for name in data.REGISTRY),
    *({"schedule": name} for name in ("inverse-sqrt", "inverse", "constant", "theorem2", "theorem-sqrt")),
]


@pytest.mark.parametrize("changes", MEMBERS, ids=str)
def test_every_member_reads_back_equal(changes: dict[str, Any], tmp_path: Path) -> None:
    spec = Spec(**{"byzantine": 1, **changes})
    assert read_back(spec, tmp_path) == spec
    assert read_back(fill_defaults(spec), tmp_path) == fill_defaults(spec)
    assert Spec.of_tables(spec.to_json()) == spec


@pytest.mark.parametrize(
    "spec",
    [
        Spec(),
        fill_defaults(Spec()),
        fill_defaults(Spec(data="digits", byzantine=3, attack="gaussian")),
        Spec(byzantine=()),
        Spec(byzantine=(2, 5, 9), attack=Duplicate(worker=3)),
        Spec(method=Rsa(norm=inf, penalty=1e-300), rate=5e-324, l2=1.7976931348623157e308),
        Spec(seed=2**70),
        Spec(method="rsa:penalty=auto", rate="auto"),
        Spec(method="bucketing:size=3+nnm:byzantine=2+centered-clipping:radius=0.5,steps=2"),
        Spec(method="nnm+mean"),
        Spec(partition="dirichlet:alpha=0.1,per=worker"),
        Spec(attack="same-value:value=-inf", byzantine=1),
    ],
    ids=lambda spec: spec.to_toml()[:60],
)
def test_toml_reads_back_equal(spec: Spec, tmp_path: Path) -> None:
    assert read_back(spec, tmp_path) == spec


def test_what_is_not_a_number_reads_back(tmp_path: Path) -> None:
    spec = Spec(attack=SameValue(nan), byzantine=1)
    assert str(read_back(spec, tmp_path).attack) == "SameValue(value=nan)"
    told = Spec(attack=SameValue(nan), byzantine=1, method=Rsa(norm=inf)).to_json()
    assert (told["attack"]["value"], told["method"]["norm"]) == ("nan", "inf")
    again = Spec.of_tables(told)
    assert str((again.attack, again.method)) == str((spec.attack, Rsa(norm=inf)))
    assert strict(json.dumps(told, allow_nan=False)) == told


@pytest.mark.parametrize(
    "text",
    ['"', "'", "\\", '\\"', "#", "é 漢 🙂", "a\tb.npz", "a\nb.npz", "a\rb.npz", "\x7f.npz", "\x01.npz", "= [1]"],
    ids=ascii,
)
def test_any_file_name_reads_back_equal(text: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_bytes(Spec(data=text).to_toml().encode())
    assert Spec.read(path).data == (str(tmp_path / text) if text.endswith(".npz") else text)


NUMBERS = st.floats(allow_nan=False)
SPECS = st.builds(
    Spec,
    method=st.builds(
        Rsa,
        norm=st.floats(min_value=1, allow_nan=False),
        penalty=st.just("auto") | st.floats(min_value=0, allow_nan=False),
    ),
    attack=st.none() | st.builds(SameValue, value=NUMBERS),
    rate=st.none() | NUMBERS,
    workers=st.integers(min_value=10, max_value=10**12),
    byzantine=st.integers(1, 9) | st.sets(st.integers(1, 10), min_size=2, max_size=4).map(tuple),
    momentum=st.floats(0, 1, exclude_max=True),
)


@given(spec=SPECS)
def test_any_number_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, spec: Spec) -> None:
    assert read_back(spec, tmp_path_factory.getbasetemp()) == spec
    assert Spec.of_tables(spec.to_json()) == spec


def test_a_file_has_a_section_for_every_field() -> None:
    assert {option.metadata["section"] for option in fields(Spec)} == set(SECTIONS)
    assert list(Spec().tables()) == list(SECTIONS)


def test_what_is_none_is_left_out() -> None:
    text = Spec().to_toml()
    assert "ties" not in text
    assert "None" not in text


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, "")) == Spec()
    assert Spec.read(written(tmp_path, "".join(f"[{section}]\n" for section in SECTIONS))) == Spec()


def test_dashes_in_a_file_are_underscores(tmp_path: Path) -> None:
    text = '[training]\neval-every = 5\ncheckpoint_every = 6\n[method]\nname = "rsa"\nlocal-steps = 2'
    assert Spec.read(written(tmp_path, text)) == Spec(eval_every=5, checkpoint_every=6, method=Rsa(local_steps=2))


@pytest.mark.parametrize(
    "text",
    [
        'method = "nnm+krum:byzantine=3"',
        '[method]\nname = "krum"\nbyzantine = 3\nstages = ["nnm"]',
        '[method]\nname = "krum"\nbyzantine = 3\nstages = "nnm"',
        '[method]\nname = "krum"\nbyzantine = 3\n[[method.stages]]\nname = "nnm"',
    ],
)
def test_stages_in_a_file(text: str, tmp_path: Path) -> None:
    spec = Spec.read(written(tmp_path, text))
    assert spec.method == Aggregated(methods.make_method("krum:byzantine=3").rule, (stages.NearestNeighbourMixing(),))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text", ['partition = "dirichlet:alpha=0.5"', '[data.partition]\nname = "dirichlet"\nalpha = 0.5']
)
def test_partitions_in_a_file(text: str, tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, f"[data]\n{text}")).partition == Dirichlet(0.5)


@pytest.mark.parametrize("text", ['[data]\nname = "own.npz"', 'data = "own.npz"'])
def test_a_data_file_is_looked_for_beside_the_spec(text: str, tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, text)).data == str(tmp_path / "own.npz")
    assert read_toml(written(tmp_path, text.replace("own.npz", "/else/own.npz")))["data"] == "/else/own.npz"


# -- the engine changes no number ------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [InProcess(), Ray(), Ray(shards=3, address="10.0.0.1:6379", round_timeout=2.5)])
def test_the_engine_is_no_part_of_what_is_computed(
    engine: engines.engine_options.EngineOptions, tmp_path: Path
) -> None:
    spec = Spec(engine=engine)
    assert spec.to_toml() == Spec().to_toml()
    assert spec.to_json() == Spec().to_json()
    assert spec.identity() == Spec().identity()
    assert "engine" not in spec.identity()
    assert drop_ignored(spec) == drop_ignored(Spec())
    assert spec.tables()["engine"]["name"] in ENGINES
    assert read_back(spec, tmp_path) == Spec()
    assert Spec.of_tables(spec.tables()) == spec


def test_a_file_may_name_its_engine(tmp_path: Path) -> None:
    assert Spec.read(written(tmp_path, '[engine]\nname = "ray"\nshards = 2')).engine == Ray(shards=2)
    with pytest.raises(InvalidInput, match="engine 'simulated' takes no options; got shards"):
        Spec.read(written(tmp_path, '[engine]\nname = "simulated"\nshards = 2'))


# -- what is refused -------------------------------------------------------------------------------------------

OLD = {
    "rounds = 30": "write rounds = ... below [training]",
    "eval-every = 5": "write eval_every = ... below [training]",
    "byzantine = 3": "write byzantine = ... below [attack]",
    "workers = 12": "write workers = ... below [data]",
    "partition = 'iid'": "write partition = ... below [data]",
    "l2 = 0.1": "write l2 = ... below [problem]",
    "norm = 2": "write norm = ... below [method]",
    "penalty = 0.5": "write penalty = ... below [method]",
    "messages = 'bits'": "write messages = ... below [method]",
    "local_steps = 2": "write local_steps = ... below [method]",
    "shards = 4": "write shards = ... below [engine]",
    "address = 'local'": "write address = ... below [engine]",
    "liars = [2, 5]": "write byzantine = ... below [attack]",
    "liars_work = 'always'": "write byzantine_work = ... below [training]",
}


@pytest.mark.parametrize(("line", "hint"), OLD.items())
def test_an_old_flat_file_is_told_the_section(line: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as raised:
        Spec.read(written(tmp_path, f'data = "digits"\nmethod = "rsa"\n{line}\n'))
    assert str(raised.value) == f"a spec file has sections: {hint}; got it above all sections"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[trainig]\nrounds = 3", r"unknown section of a spec 'trainig' \(did you mean 'training'\?\); known: data, "),
        ("round = 3", "unknown section of a spec 'round'"),
        ("[training]\nround = 3", r"unknown key of \[training\] 'round' \(did you mean 'rounds'\?\); known: rounds, "),
        ("[training]\nworkers = 3", r"unknown key of \[training\] 'workers'"),
        ("[data]\nname = 'digits'\nworker = 3", r"unknown key of \[data\] 'worker' \(did you mean 'workers'\?\)"),
        ("[data]\ndata = 'digits'", r"unknown key of \[data\] 'data'.*; known: name, "),
        ("[problem]\nname = 'softmax'\nrounds = 3", r"unknown key of \[problem\] 'rounds'"),
        ("[method]\nnorm = 2", "a table of a method needs a name; got the keys norm"),
        ("[method]\nname = 'rsa'\nnrom = 2", r"unknown option of method 'rsa' 'nrom' \(did you mean 'norm'\?\)"),
        ("[attack]\nname = 'gaussian'\nbyzantine = 1\nfactor = 2", "unknown option of attack 'gaussian' 'factor'"),
        ("training = 'long'", "unknown section of a spec 'training'|has sections"),
        ("method = 3", "has sections: write method = ... below .method"),
        ("[engine]\nname = 'ray'\nshards = -1", "shards of engine 'ray' must be a whole number >= 0; got -1"),
        ("[method]\nname = 'krum'\nstages = [3]", "a stage must be something to call with what was received; got 3"),
        ("[method]\nname = 'rsa'\nstages = ['nnm']", "stages come before a rule on gradients; got rsa after them"),
    ],
)
def test_what_a_file_cannot_say_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message) as raised:
        Spec.read(written(tmp_path, text))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"rounds = ", b"rounds = 1\nrounds = 2", b"\xff\xfe\x00", b"= 3"], ids=repr)
def test_a_file_that_is_no_toml_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"readable TOML file; got .*broken\.toml"):
        Spec.read(path)


def test_no_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(InvalidInput, match="readable TOML file") as raised:
            Spec.read(path)
        assert str(path) in str(raised.value)


def test_options_that_cannot_be_written_are_refused() -> None:
    spec = replace(Spec(), method=Aggregated(Opaque(object())))
    with pytest.raises(InvalidInput, match="a spec that is kept needs parts whose options can be written; got"):
        spec.to_toml()


class Opaque:
    """A rule whose option only Python can hold."""

    def __init__(self, secret: object) -> None:
        self.secret = secret

    def __call__(self, rows: Any) -> Any:
        return rows[0]
