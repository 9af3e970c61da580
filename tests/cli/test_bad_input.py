"""Whatever is wrong with the arguments: one line, exit status 2, no traceback, nothing left behind."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from holdfast import attacks, data, engines, methods, problems, stages
from holdfast.cli import main
from holdfast.data import partitions
from holdfast.methods import schedules

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refusal(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that the command ends with, having left everything as it was."""
    before = sorted(Path().rglob("*"))
    status = main(argv)
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.startswith("holdfast: ")
    assert printed.err.endswith("\n")
    assert printed.err.count("\n") == 1, printed.err
    assert sorted(Path().rglob("*")) == before
    return printed.err


RUN = ["run", "--data", "digits", "--rounds", "3"]
BYZANTINE = "byzantine must be a whole number >= 0 or several of them, each a whole number >= 1"
ATTACKED = ["--attack", "infinite", "--byzantine"]

WRONG: list[tuple[list[str], str]] = [
    # numbers
    ([*RUN, "--rounds", "0"], "rounds must be a whole number >= 1; got '0'"),
    ([*RUN, "--rounds", "ten"], "rounds must be a whole number >= 1; got 'ten'"),
    ([*RUN, "--rounds", "1.5"], "rounds must be a whole number >= 1; got '1.5'"),
    ([*RUN, "--rounds", ""], "rounds must be a whole number >= 1; got ''"),
    ([*RUN, "--method", "rsa:norm=0.5"], "norm must be a number >= 1 or package.module:Name; got '0.5'"),
    ([*RUN, "--method", "rsa:norm=two"], "norm must be a number >= 1 or package.module:Name; got 'two'"),
    ([*RUN, "--method", "rsa:penalty=-1"], "penalty of method 'rsa' must be a number >= 0 or auto; got '-1'"),
    ([*RUN, "--method", "rsa:penalty=inf"], "penalty must be at least 0 and finite; got inf"),
    ([*RUN, "--rate", "0"], "rate must be positive and finite; got 0.0"),
    ([*RUN, "--rate", "-0.5"], "rate must be positive and finite; got -0.5"),
    ([*RUN, "--rate", "nan"], "rate must be positive and finite; got nan"),
    ([*RUN, "--scale", "nan"], "scale must be"),
    ([*RUN, "--l2", "-1"], "l2 must be a number >= 0; got '-1'"),
    ([*RUN, "--batch", "0"], "batch must be a whole number >= 1; got '0'"),
    ([*RUN, "--seed", "-1"], "seed must be a whole number >= 0; got '-1'"),
    ([*RUN, "--eval-every", "0"], "eval_every must be a whole number >= 1; got '0'"),
    ([*RUN, "--checkpoint-every", "-5"], "checkpoint_every must be a whole number >= 1; got '-5'"),
    # who is Byzantine
    ([*RUN, "--workers", "0"], "workers must be a whole number >= 1; got '0'"),
    ([*RUN, *ATTACKED, "20"], "byzantine must be less than workers=20; got 20"),
    ([*RUN, "--attack", "infinite"], "an attack needs byzantine of at least 1; got byzantine=0"),
    ([*RUN, *ATTACKED, "3,3"], "byzantine must name different workers from 1 to 20; got (3, 3)"),
    ([*RUN, *ATTACKED, "21"], "byzantine must be less than workers=20; got 20"),
    ([*RUN, *ATTACKED, "3,21"], "byzantine must name different workers from 1 to 20; got (3, 21)"),
    ([*RUN, *ATTACKED, "0,1"], f"{BYZANTINE}; got ['0', '1']"),
    ([*RUN, *ATTACKED, "1,x"], f"{BYZANTINE}; got ['1', 'x']"),
    ([*RUN, *ATTACKED, "x"], f"{BYZANTINE}; got 'x'"),
    # what is not one of the choices
    ([*RUN, "--dtype", "float16"], "dtype must be float32 or float64; got 'float16'"),
    ([*RUN, "--method", "rsa:messages=bytes"], "messages of method 'rsa' must be full or bits; got 'bytes'"),
    # what cannot work together
    ([*RUN, "--method", "krum", *ATTACKED, "18"], "Krum needs n >= byzantine + 3; got n=20, byzantine=18"),
    ([*RUN, "--method", "krum", "--workers", "2"], "Krum needs n >= byzantine + 3; got n=2, byzantine=0"),
    ([*RUN, "--method", "krum", "--declared", "19"], "Krum needs n >= byzantine + 3; got n=20, byzantine=19"),
    ([*RUN, "--method", "trimmed-mean", *ATTACKED, "10"], "TrimmedMean needs n > 2 * trim; got n=20, trim=10"),
    ([*RUN, "--attack", "alie", "--byzantine", "11"], "else give one, such as alie:z=1; got 11 of 20"),
    ([*RUN, "--attack", "gaussian", "--byzantine", "11"], "fewer than half of the workers Byzantine"),
    ([*RUN, "--attack", "duplicate", "--byzantine", "1,2"], "duplicate needs an honest worker"),
    ([*RUN, "--attack", "duplicate:worker=20", "--byzantine", "1"], "needs an honest worker to copy; got worker=20"),
    ([*RUN, "--attack", "duplicate:worker=99", "--byzantine", "1"], "needs an honest worker to copy; got worker=99"),
    ([*RUN, "--workers", "1439"], "workers must be at most the 1438 training samples; got 1439"),
    ([*RUN, "--workers", "1438", "--partition", "by-label"], "by-label needs a sample of class"),
    ([*RUN, "--problem", "logistic"], "logistic needs 2 classes; got 10 in digits"),
    # options of attacks and partitions
    ([*RUN, "--attack", "infinite:value=1", "--byzantine", "1"], "attack 'infinite' takes no options; got value"),
    ([*RUN, "--attack", "same-value:value=x", "--byzantine", "1"], "value of attack 'same-value' must be a number"),
    ([*RUN, "--attack", "same-value:value", "--byzantine", "1"], "of an attack are written key=value; got 'value'"),
    ([*RUN, "--attack", "duplicate:worker=1.5", "--byzantine", "1"], "'duplicate' must be a whole number; got '1.5'"),
    ([*RUN, "--attack", "sign-flip:factor=1,factor=2", "--byzantine", "1"], "factor"),
    ([*RUN, "--partition", "dirichlet"], "partition 'dirichlet' needs alpha; got none"),
    ([*RUN, "--partition", "dirichlet:alpha=0"], "dirichlet needs alpha > 0; got alpha=0.0"),
    ([*RUN, "--partition", "dirichlet:alpha=inf"], "dirichlet needs alpha > 0"),
    ([*RUN, "--partition", "iid:alpha=1"], "partition 'iid' takes no options; got alpha"),
    # arguments
    ([], "the following arguments are required: COMMAND"),
    (["data"], "the following arguments are required: ACTION; see holdfast data --help"),
    (["data", "fetch"], "the following arguments are required: NAME"),
    (["resume"], "the following arguments are required: RUN; see holdfast resume --help"),
    ([*RUN, "--rounds"], "argument --rounds: expected one argument; see holdfast run --help"),
    ([*RUN, "a.toml", "b.toml"], "unrecognized arguments: b.toml"),
    (["run", "absent.toml"], "a spec must be a readable TOML file; got absent.toml"),
    # options without effect
    ([*RUN, "--method", "krum", "--messages", "bits"], "--messages is an option of rsa: write --method rsa:messages="),
    ([*RUN, "--method", "krum", "--local-steps", "5"], "an option of rsa: write --method rsa:local_steps=5\n"),
    ([*RUN, "--method", "krum", "--norm", "2"], "--norm is an option of rsa: write --method rsa:norm=2\n"),
    ([*RUN, "--norm=2"], "--norm is an option of rsa: write --method rsa:norm=2\n"),
    ([*RUN, "--method", "ideal-rsa", "--ties", "coin"], "an option of ideal-rsa: write --method ideal-rsa:ties=coin\n"),
    ([*RUN, "--method", "rsa:norm=2", "--penalty", "-1"], "option of rsa: write --method rsa:norm=2,penalty=-1\n"),
    ([*RUN, "--selected", "5"], "--selected is an option of multi-krum: write --method multi-krum:selected=5\n"),
    ([*RUN, "--reply"], "--reply is an option of rsa: write --method rsa:reply=...\n"),
    (["compare", "--method", "sgd", "rsa:norm=2", "--reply", "updated"], "write --method rsa:norm=2,reply=updated\n"),
    ([*RUN, "--method", "krum:norm=2"], "unknown option of method 'krum' 'norm'; known: byzantine"),
    ([*RUN, "--method", "median:norm=2"], "method 'median' takes no options; got norm"),
    ([*RUN, "--method", "nnm+krum:norm=2"], "unknown option of method 'krum' 'norm'; known: byzantine"),
    ([*RUN, "--method", "nnm+rsa"], "stages come before a rule on gradients; got rsa after them"),
    ([*RUN, "--liars", "2,5,9"], "--liars is called --byzantine now: write --byzantine 2,5,9\n"),
    ([*RUN, "--liars-work", "always"], "--liars-work is called --byzantine-work now: write --byzantine-work always\n"),
    ([*RUN, "--shards", "4"], "an option of engine ray: write --engine ray --shards 4; got engine simulated\n"),
    ([*RUN, "--engine", "simulated", "--min-workers", "2"], "--min-workers is an option of engine ray"),
    ([*RUN, "--engine", "simulated:shards=4"], "engine 'simulated' takes no options; got shards"),
    ([*RUN, "--engine", "ray", "--shards", "four"], "shards of engine 'ray' must be a whole number >= 0; got 'four'"),
    (["compare", "--data", "digits", "--shards", "4"], "unknown flag '--shards'"),
    (["compare", "--data", "digits", "--jobs", "two"], "argument --jobs: invalid int value: 'two'"),
    (["compare", "--data", "digits", "--rounds", "2", "--jobs", "0"], "jobs must be at least 1; got 0"),
    (["compare", "--data", "digits", "--rounds", "2", "--jobs", "-1"], "jobs must be at least 1; got -1"),
    (["compare", "--data", "digits", "--rounds", "2", "--attack", "infinite"], "an attack needs byzantine of"),
    (["compare", "--data", "digits", "--method", "krum", "--declared", "18"], "Krum needs n >= byzantine + 3"),
]  # fmt: skip


@pytest.mark.parametrize(("argv", "message"), WRONG, ids=[" ".join(argv) for argv, _ in WRONG])
def test_a_wrong_argument(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refusal(argv, capsys)


DATA_SETS = [*data.REGISTRY, *(f"FILE{suffix}" for suffix in data.FILE_TYPES)]

UNKNOWN: list[tuple[list[str], str, list[str]]] = [
    ([*RUN, "--method", "krumm"], "krum", list(methods.REGISTRY)),
    ([*RUN, "--attack", "gausian", "--byzantine", "1"], "gaussian", ["none", *attacks.REGISTRY]),
    ([*RUN, "--attack", "nome", "--byzantine", "1"], "none", ["none", *attacks.REGISTRY]),
    ([*RUN, "--attack", "same-value:valve=3", "--byzantine", "1"], "value", ["value"]),
    ([*RUN, "--attack", "gaussian:sclae=3", "--byzantine", "1"], "scale", ["scale"]),
    (["run", "--data", "digist"], "digits", DATA_SETS),
    (["run", "--data", "fashion_mnist"], "fashion-mnist", DATA_SETS),
    ([*RUN, "--partition", "by_label"], "by-label", list(partitions.REGISTRY)),
    ([*RUN, "--partition", "dirichlet:alhpa=1"], "alpha", ["alpha"]),
    ([*RUN, "--problem", "sofmax"], "softmax", list(problems.REGISTRY)),
    ([*RUN, "--method", "rsa:nrom=2"], "norm", [option.name for option in fields(methods.Rsa)]),
    ([*RUN, "--method", "multi-krum:select=2"], "selected", ["byzantine", "selected"]),
    ([*RUN, "--method", "nmn+krum"], "nnm", list(stages.REGISTRY)),
    ([*RUN, "--method", "bucketing:sise=2+krum"], "size", ["size"]),
    ([*RUN, "--engine", "rey"], "ray", list(engines.engine_options.REGISTRY)),
    ([*RUN, "--engine", "ray:shard=2"], "shards", [option.name for option in fields(engines.Ray)]),
    ([*RUN, "--schedule", "constnat"], "constant", list(schedules.REGISTRY)),
    (["data", "fetch", "mnits"], "mnist", list(data.FETCHED)),
    (["compare", "--data", "digits", "--method", "rsa", "medain"], "median", list(methods.REGISTRY)),
    (["compare", "--data", "digits", "--partition", "idd"], "iid", list(partitions.REGISTRY)),
]


@pytest.mark.parametrize(("argv", "nearest", "known"), UNKNOWN, ids=[" ".join(argv) for argv, _, _ in UNKNOWN])
def test_an_unknown_name_names_the_nearest_and_lists_the_known(
    argv: list[str], nearest: str, known: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(argv, capsys)
    assert f"did you mean {nearest!r}?" in message
    listed = message.rpartition("known: ")[2].strip().split(", ")
    assert set(known) <= set(listed)


@pytest.mark.parametrize(
    ("argv", "nearest"),
    [
        ([*RUN, "--methd", "krum"], "--method"),
        ([*RUN, "--penaltly=3"], "--method rsa:penalty=3"),
        ([*RUN, "--round", "3"], "--rounds"),
        ([*RUN, "--eval_every", "3"], "--eval-every"),
        (["resume", "--jsn", "x"], "--json"),
        (["compare", "--job", "2"], "--jobs"),
        (["demo", "--uot", "x"], "--out"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_unknown_flag_names_the_nearest(argv: list[str], nearest: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(argv, capsys)
    assert f"did you mean '{nearest}'?" in message
    assert f"see holdfast {argv[0]} --help" in message


def test_an_unknown_command_lists_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    message = refusal(["rnu"], capsys)
    assert all(command in message for command in ("'rnu'", "run", "resume", "compare", "demo", "list", "data"))
    assert all(action in refusal(["data", "get"], capsys) for action in ("'get'", "list", "fetch"))


OLD_FILES = [
    ('data = "digits"\nrounds = 3\n', "a spec file has sections: write rounds = ... below [training]"),
    ("norm = 2\n", "a spec file has sections: write norm = ... below [method]"),
    ("local-steps = 2\n", "a spec file has sections: write local_steps = ... below [method]"),
    ("byzantine = 2\n", "a spec file has sections: write byzantine = ... below [attack]"),
    ("workers = 10\n", "a spec file has sections: write workers = ... below [data]"),
    ("l2 = 0.1\n", "a spec file has sections: write l2 = ... below [problem]"),
    ("shards = 4\n", "a spec file has sections: write shards = ... below [engine]"),
    ("liars = [2, 5, 9]\n", "a spec file has sections: write byzantine = ... below [attack]"),
]


@pytest.mark.parametrize(("text", "message"), OLD_FILES, ids=[text for text, _ in OLD_FILES])
def test_a_file_without_sections_is_told_how_to_write_it_now(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.toml").write_text(text)
    for command in ("run", "compare", "theory"):
        assert message in refusal([command, "spec.toml"], capsys)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("[methode]\nname = 'rsa'\n", "method"), ("[training]\nruonds = 3\n", "rounds")],
)
def test_an_unknown_key_in_a_file_names_the_nearest(
    text: str, nearest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("spec.toml").write_text(text)
    for command in ("run", "compare"):
        assert f"did you mean {nearest!r}?" in refusal([command, "spec.toml"], capsys)


def test_an_option_in_a_file_that_its_part_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    Path("spec.toml").write_text('[method]\nname = "krum"\nnorm = 2\n')
    assert "unknown option of method 'krum' 'norm'; known: byzantine" in refusal(["run", "spec.toml"], capsys)
    Path("spec.toml").write_text('[engine]\nname = "simulated"\nshards = 2\n')
    assert "engine 'simulated' takes no options; got shards" in refusal(["run", "spec.toml"], capsys)


# -- files of the user's ---------------------------------------------------------------------------------------


def arrays(**named: object) -> Callable[[Path], None]:
    return lambda path: np.savez(path, **{name: np.asarray(value) for name, value in named.items()})  # type: ignore[arg-type]


def content(held: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(held)

    return write


def one_array(path: Path) -> None:
    with path.open("wb") as file:
        np.save(file, np.zeros((9, 3)))


def damaged(path: Path) -> None:
    np.savez_compressed(path, x=np.random.default_rng(0).normal(size=(90, 3)), y=np.arange(90) % 2)
    whole = bytearray(path.read_bytes())
    whole[55] = 0xFF  # behind the header of the first array begins its stream, whose blocks have no such kind
    path.write_bytes(whole)


X, Y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2

BAD_FILES: list[tuple[str, Callable[[Path], None], str]] = [
    ("empty.npz", content(b""), "must be an .npz file of plain arrays"),
    ("text.npz", content(b"x,y\n1,2\n"), "must be an .npz file of plain arrays"),
    ("cut.npz", content(b"PK\x03\x04"), "must be an .npz file of plain arrays"),
    ("array.npz", one_array, "must be an .npz file of plain arrays"),
    ("damaged.npz", damaged, "must be an .npz file of plain arrays"),
    ("objects.npz", arrays(x=np.array([[{}]] * 9), y=Y[:9]), "must be an .npz file of plain arrays"),
    ("nothing.npz", arrays(), "must hold x_train, y_train, x_test and y_test, or x and y; got nothing"),
    ("other.npz", arrays(a=X, b=Y), "or x and y; got a, b"),
    ("no-test.npz", arrays(x_train=X, y_train=Y), "got x_train, y_train"),
    ("scalars.npz", arrays(x=5, y=3), "must have one target for each row of features; got shapes () and ()"),
    ("flat.npz", arrays(x=X[:, 0], y=Y), "one target for each row of features; got shapes (40,) and (40,)"),
    ("column.npz", arrays(x=X, y=Y[:, None]), "one target for each row of features; got shapes (40, 3) and (40, 1)"),
    ("uneven.npz", arrays(x=X, y=Y[:-1]), "one target for each row of features; got shapes (40, 3) and (39,)"),
    ("few.npz", arrays(x=X[:1], y=Y[:1]), "must hold at least"),
    (
        "widths.npz",
        arrays(x_train=X, y_train=Y, x_test=X[:, :2], y_test=Y),
        "features of one shape for testing and training; got (2,) and (3,)",
    ),
    ("text-features.npz", arrays(x=X.astype(str), y=Y), "must hold numbers; got features of type"),
    ("complex.npz", arrays(x=X * 1j, y=Y), "must hold numbers; got features of type complex128"),
    (
        "nan.npz",
        arrays(x=np.where(np.arange(40)[:, None] == 7, np.nan, X), y=Y),
        "got NaN or infinity in features, sample 8",
    ),
    ("infinite.npz", arrays(x=X, y=np.where(Y, np.inf, 0.0)), "got NaN or infinity in targets, sample 2"),
    (
        "small-class.npz",
        arrays(x_train=X, y_train=np.arange(40) == 3, x_test=X, y_test=Y),
        "by-label needs a sample of class",
    ),
    ("empty.csv", content(b""), "empty.csv must"),
    ("names.csv", content(b"a,b,c\n"), "names.csv must"),
    ("one-column.csv", content(b"1\n2\n3\n"), "must have features and a target column; got 1 column"),
    ("words.csv", content(b"a,b\nc,d\n"), "must hold at least 2 rows of data; got 1"),
    ("ragged.csv", content(b"1,2\n1,2,3\n"), "must have 2 cells in every row, as in its first; got 3 in row 2"),
    ("binary.csv", content(bytes(range(256))), "must be a table of text; got bytes that are no text"),
    (
        "nan.csv",
        content(b"1,2,0\nnan,2,1\n" * 5),
        "got none in row 2, column 'column 1'",
    ),
]


@pytest.mark.parametrize(("name", "write", "message"), BAD_FILES, ids=[name for name, _, _ in BAD_FILES])
def test_a_bad_data_file(
    name: str, write: Callable[[Path], None], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path(name))
    argv = ["run", "--data", name, "--workers", "8", "--partition", "by-label", "--rounds", "2"]
    found = refusal(argv, capsys)
    assert name in found or "small-class" in name
    assert message in found


def test_no_file_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert "got 'absent.npz', which is no file" in refusal(["run", "--data", "absent.npz"], capsys)


@pytest.mark.parametrize("command", ["run", "compare"])
def test_an_out_that_cannot_be_a_folder(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    for out in ("file", "file/inside"):
        assert "--out must" in refusal([command, "--data", "digits", "--rounds", "2", "--out", out], capsys)
    assert (tmp_path / "file").read_text() == "mine"


# -- without a network -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [["data", "fetch", "mnist"], ["run", "--data", "mnist", "--json"]], ids=" ".join)
def test_without_a_network_one_line_names_what_still_works(argv: list[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers here
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        proxies = {f"{scheme}_proxy": nowhere for scheme in ("http", "https", "all")}
        cache = tmp_path / "cache"
        ended = subprocess.run(
            [sys.executable, "-m", "holdfast", *argv],
            env={**kept, **proxies, "PATH": "", "HOLDFAST_CACHE": str(cache)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (2, "")
    (said,) = [line for line in ended.stderr.splitlines() if not line.startswith("compiling kernels")]
    assert said.startswith("holdfast: mnist could not be fetched")
    assert "npm is not installed" in said
    assert "--data digits works" in said
    assert not list(tmp_path.rglob("*ubyte*"))
    assert not (tmp_path / "runs").exists()
