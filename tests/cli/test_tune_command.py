"""`holdfast tune` from end to end on digits, with a budget of seconds."""

import json
import shlex
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Ended, command_into

from holdfast.attacks import Gaussian
from holdfast.cli import make_parser
from holdfast.cli.spec_flags import format_flags, read_spec
from holdfast.data import load
from holdfast.methods import Rsa
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec

TINY = ["tune", "--data", "digits", "--workers", "5", "--rounds", "18", "--jobs", "1", "--points", "3", "--json"]
ATTACKED = ["--norm", "1", "inf", "--attack", "sign-flip", "--byzantine", "1"]


def tuned(out: Path, *argv: str) -> Ended:
    return command_into(out, *TINY, *argv)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return tuned(tmp_path_factory.mktemp("tune") / "out", *ATTACKED)


def test_json_is_one_object_on_stdout(attacked: Ended) -> None:
    assert attacked.status == 0, attacked.stderr
    assert attacked.stdout.count("\n") == 1
    assert json.loads(attacked.stdout) == attacked.results


def test_rungs_thin_out(attacked: Ended) -> None:
    rungs = attacked.results["rungs"]
    # 2 norms x 3 lambdas x 3 alphas; a third of 18 is 6, a third of 6 is 2; 18 rounds / 9, / 3, / 1
    assert [(rung["rounds"], len(rung["trials"])) for rung in rungs] == [(2, 18), (6, 6), (18, 2)]
    for rung, above in pairwise(rungs):
        accuracies = [trial["accuracy"] for trial in rung["trials"]]
        assert accuracies == sorted(accuracies, reverse=True)
        assert {place(trial) for trial in above["trials"]} == {
            place(trial) for trial in rung["trials"][: len(above["trials"])]
        }


def place(trial: Any) -> tuple[Any, ...]:
    return trial["norm"], trial["penalty"], trial["rate"]


def test_the_winner_alone_saw_the_test_set(attacked: Ended) -> None:
    results = attacked.results
    assert place(results["best"]) == place(results["rungs"][-1]["trials"][0])
    specs = [json.loads(path.read_text())["run"]["spec"] for path in attacked.out.glob("*/*.json")]
    assert len(specs) == 18 + 6 + 2 + 1
    assert [spec["data"]["name"] for spec in specs].count("digits") == 1
    assert {spec["attack"]["name"] for spec in specs} == {"sign-flip"}
    assert "No candidate saw the test set" in attacked.stderr


def test_the_command_at_the_end_gives_the_test_accuracy(attacked: Ended) -> None:
    words = shlex.split(attacked.results["command"])
    assert attacked.stderr.strip().endswith(attacked.results["command"])
    assert words[:2] == ["holdfast", "run"]
    spec = read_spec(make_parser().parse_args(words[1:]))
    assert run(spec).accuracy == attacked.results["test_accuracy"]


def test_a_winner_that_guesses_is_not_recommended(tmp_path: Path) -> None:
    lost = ["--method", "sgd", "--attack", "sign-flip", "--byzantine", "2", "--rate", "0.01"]
    ended = tuned(tmp_path / "out", *lost)
    assert ended.results["guesses"] is True
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("Do not use this model: the best of 3 candidates is no better than guessing (accuracy 0.")
    page = (ended.out / "report.html").read_text()
    assert '<span class="fails">Do not use this model' in page
    assert "<pre><code>" not in page, "no command to copy"


def test_the_page_and_its_pictures(attacked: Ended) -> None:
    page = (attacked.out / "report.html").read_text()
    assert all(f"<span>{word}</span>" in page for word in attacked.results["command"].split())
    assert page.count('<figure class="chart ') == 1  # with a panel for each norm
    for suffix in ("png", "svg", "pdf"):
        assert (attacked.out / f"tuning.{suffix}").stat().st_size > 1000


def test_resume_repeats_nothing_that_is_finished(attacked: Ended) -> None:
    files = sorted(attacked.out.glob("*/*.json"))
    lost = files[0]
    before = {path: path.stat().st_mtime_ns for path in files}
    results = attacked.results
    lost.unlink()
    again = tuned(attacked.out, *ATTACKED, "--resume")
    assert again.status == 0
    assert again.results == results
    assert sorted(attacked.out.glob("*/*.json")) == files
    assert [path for path in files if path.stat().st_mtime_ns != before[path]] == [lost]


def test_a_folder_with_runs_is_refused(attacked: Ended) -> None:
    refused = tuned(attacked.out, *ATTACKED)
    assert refused.status == 2
    assert "--out must hold no runs unless --resume is given" in refused.stderr


def test_validation_samples_are_neither_the_workers_nor_the_tests(attacked: Ended) -> None:
    file, digits = load(str(attacked.out / "validation.npz")), load("digits")
    # 10 % of 1438 training samples, rounded down, and the rest
    assert (len(file.test_targets), len(file.train_targets)) == (143, 1295)
    held, workers, tests = map(images, (file.test_features, file.train_features, digits.test_features))
    # every image of the digits is there once, so that equal bytes mean the same sample
    assert len(held | workers | tests) == 143 + 1295 + 359
    assert held | workers == images(digits.train_features)


def images(features: np.ndarray[Any, Any]) -> set[bytes]:
    return {row.tobytes() for row in features}


@pytest.mark.parametrize("norm", ["1", "2"])
def test_a_method_that_says_its_norm_is_tuned_with_it(norm: str, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(f'[method]\nname = "rsa"\nnorm = {norm}\n')
    for argv in (["--method", f"rsa:norm={norm}"], [str(tmp_path / "spec.toml")]):
        ended = tuned(tmp_path / argv[-1].replace("/", "-"), *argv, "--rungs", "1", "--points", "1")
        assert ended.status == 0, ended.stderr
        assert [centre["norm"] for centre in ended.results["centres"]] == [float(norm)]


def test_gradient_rules_have_rates_only(tmp_path: Path) -> None:
    ended = tuned(tmp_path / "out", "--method", "median", "--rungs", "2")
    assert ended.status == 0, ended.stderr
    assert [(rung["rounds"], len(rung["trials"])) for rung in ended.results["rungs"]] == [(6, 3), (18, 1)]
    assert len({trial["rate"] for trial in ended.results["rungs"][0]["trials"]}) == 3
    assert (tmp_path / "out" / "tuning.png").exists()


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--validation", "0"], "validation must be a share between 0 and 1; got 0"),
        (["--validation", "1e-4"], "at least 2 samples on either side; got 0 and 1438"),
        (["--points", "4"], "points must be odd"),
        (["--rungs", "0"], "rungs must be at least 1; got 0"),
        (["--norm", "half"], "norm must be a number >= 1 or package.module:Name; got 'half'"),
        (["--norm", "1", "--method", "rsa:penalty=0"], "penalty as the centre of a log grid must be greater than 0"),
        (["--method", "rsa:penalty=0.1"], "a penalty is the centre for one norm; got 3 norms, penalty=0.1"),
        (["--penalty", "0.1"], "--penalty is an option of rsa: write --method rsa:penalty=0.1"),
        (["--method", "rsa:norm=2", "--norm", "1"], "norms to try are given once; got --norm and --method rsa:norm=2"),
        (["--method", "krum", "--norm", "2"], "norm is an option of rsa and watchful-rsa and ideal-rsa"),
        (["--attack", "gaussian"], "an attack needs byzantine of at least 1"),
        (["--resume"], "--resume needs the folder of earlier runs"),
    ],
)
def test_bad_input_is_one_line(argv: list[str], complaint: str, tmp_path: Path) -> None:
    ended = tuned(tmp_path / "out", *argv)
    assert ended.status == 2
    assert complaint in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


@pytest.mark.parametrize(
    "spec",
    [
        Spec(),
        Spec(method=Rsa(norm=inf, penalty=20.5), rate="auto", data="my data.npz"),
        Spec(method="rsa:norm=2,penalty=0.07", rate=0.00123, schedule="constant", momentum=0.5, l2=0),
        Spec(method="rsa:messages=bits,ties=coin,local_steps=3,reply=updated,penalty=1e-07"),
        Spec(method="nnm:byzantine=2+bucketing:size=3+multi-krum:selected=5", declared=3),
        Spec(byzantine=(3, 7), attack="sign-flip:factor=-2", dtype="float64", scale=0.1),
        Spec(byzantine=5, attack=Gaussian(scale=1e22), partition="dirichlet:alpha=0.1", problem="logistic"),
        Spec(engine="ray:shards=2,round_timeout=0.5", weighting="sum", byzantine_work="always"),
    ],
)
def test_flags_say_the_spec(spec: Spec) -> None:
    assert read_spec(make_parser().parse_args(["run", *format_flags(spec)])) == spec
