"""What a run warns of, and what it makes of its score: each sentence where it belongs, and nowhere else."""

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from holdfast.cli import main
from holdfast.cli.reporter import Reporter
from holdfast.data import Dataset, Dirichlet, load
from holdfast.data.partitions.sample_skew import Quantity
from holdfast.errors import InvalidInput
from holdfast.insight.inspection import inspect
from holdfast.report.run_page import run_page
from holdfast.runs.cautions import _of_batch
from holdfast.runs.runner import run
from holdfast.runs.spec import Spec
from holdfast.runs.verdicts import verdict
from holdfast.watching.sides import LEAST_COORDINATES

BASE = Spec(data="digits", rounds=60, eval_every=10)
LINE = np.random.default_rng(0).normal(size=(300, 5))


def line(targets: Any) -> Dataset:
    return Dataset("line", LINE[:240], targets[:240], LINE[240:], targets[240:])


def test_a_run_as_it_should_be_warns_of_nothing() -> None:
    assert run(replace(BASE, attack="sign-flip", byzantine=4)).warnings == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"byzantine": 8}, "8 workers are called Byzantine, but no attack is given, so that all are honest"),
        ({"byzantine": 10, "attack": "gaussian", "method": "rsa:penalty=1", "rate": 1e-3}, "10 of 20 workers are Byz"),
        ({"byzantine": 4, "attack": "sign-flip:factor=4"}, "sign-flip with factor=4 flips no sign"),
        ({"batch": 100}, "minibatches of 100 repeat samples, since no worker holds more than 72: --batch 72"),
        ({"method": "rsa:local_steps=2"}, "the paper's theorems are about 1 local step a round; got 2"),
        ({"method": "rsa:penalty=0.1", "rate": 1e-9}, "the loss has hardly moved, from 2.303 to 2.30"),
        (
            {"method": "sgd", "rate": 1e-3, "attack": "sign-flip", "byzantine": 8},
            "the loss has risen from 1.382 to ",
        ),
    ],
    ids=str,
)
def test_what_is_likely_not_meant_or_went_wrong_is_said(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    result = run(replace(BASE, **changes), tmp_path / "run")
    (found,) = [text for text in result.warnings if text.startswith(said)]
    assert "\n" not in found
    assert f"{found[0].upper()}{found[1:]}." in inspect(tmp_path / "run").notes


def test_one_small_worker_is_named_and_no_smaller_batch_is_advised() -> None:
    counts = np.array([40, 9, 50, 60])
    assert [*_of_batch(32, counts)] == [
        "1 of 4 workers fill minibatches of 32 by repeating samples; worker 2 holds the fewest, 9"
    ]


def test_classes_that_nobody_could_learn_are_named() -> None:
    digits = load("digits")
    most = digits.train_targets < 8
    data = replace(digits, train_features=digits.train_features[most], train_targets=digits.train_targets[most])
    (said,) = run(replace(BASE, data=data, scale=16.0)).warnings
    assert said.startswith("no training sample has the class 8, 9 of the test set, ")


def test_a_file_of_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match="softmax needs at least 2 classes; got 1 in line"):
        run(replace(BASE, data=line(np.zeros(300, int)), problem="softmax"))


# -- verdicts --------------------------------------------------------------------------------------------------

ATTACKED = Spec(attack="sign-flip", byzantine=4)


@pytest.mark.parametrize(
    ("value", "ceiling", "begins"),
    [
        (0.96, 1.0, "It held: accuracy 0.9600 of a possible 1.0000."),
        (0.56, 0.6, "It held: accuracy 0.5600 of at most 0.6000: only attackers hold"),
        (0.7, 1.0, "More than half of what is possible was learned: accuracy 0.7000 of a possible 1.0000."),
        (
            0.4,
            1.0,
            "Less than half of what is possible was learned: accuracy 0.4000 of a possible 1.0000. With",
        ),
        (
            0.07,
            1.0,
            "No better than guessing: accuracy 0.0700 of a possible 1.0000. Always naming the commonest class gets "
            "0.1000. The attack won.",
        ),
        (0.15, 1.0, "Hardly better than guessing: accuracy 0.1500 of a possible 1.0000. Always naming the commonest"),
    ],
)
def test_an_accuracy_is_told_beside_what_is_possible_and_what_guessing_reaches(
    value: float, ceiling: float, begins: str
) -> None:
    """Of the way from 0.1 to the ceiling: 0.86 / 0.9, 0.46 / 0.5, 0.6 / 0.9, 0.3 / 0.9, and less than nothing."""
    said = verdict(ATTACKED, "accuracy", value, ceiling, 0.1, None)
    assert said is not None
    assert said.startswith(begins)


def test_other_scores_and_ends() -> None:
    assert verdict(ATTACKED, "accuracy", None, 1.0, 0.1, 7) == (
        "Nothing was learned: the model diverged at round 7; the attack won."
    )
    assert str(verdict(Spec(), "r2", 0.49, None, None, None)).startswith("The model explains 49% of the variance")
    assert str(verdict(ATTACKED, "r2", -0.3, None, None, None)).startswith(
        "No better than guessing: R2 -0.3000. Always predicting the mean gets 0. The attack won."
    )
    assert verdict(Spec(), "loss", 3.0, None, None, None) is None


def test_a_run_that_guesses_is_told_so_in_red_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--data", "digits", "--rounds", "60", "--method", "sgd", "--attack", "sign-flip", "--byzantine", "8"]
    assert main(["run", *flags, "--rate", "0.001", "--out", str(tmp_path / "run")]) == 0
    told = capsys.readouterr().out
    assert "\nNo better than guessing: accuracy " in told
    assert "the model is no better than guessing" in told
    assert "learned" not in told.split("seconds")[0], "one verdict, not two"
    found = inspect(tmp_path / "run")
    assert found.guesses
    assert '<span class="fails">No better than guessing: ' in run_page(found).html()
    result = run(found.spec)
    assert result.guesses
    assert '<p class="fails">No better than guessing: ' in result._repr_html_()
    assert repr(result).endswith("no better than guessing)")


def test_a_terminal_shows_alarms_in_red() -> None:
    reporter, shown = Reporter(), StringIO()
    reporter.console = Console(file=shown, force_terminal=True, color_system="standard")
    reporter.alarm("no better")
    assert "\x1b[1;31m" in shown.getvalue()


def test_a_loss_that_rises_beside_a_useful_accuracy_is_no_verdict() -> None:
    """The accuracy is far above guessing; sure but wrong answers cost more than equal odds."""
    result = run(Spec(data="digits", rounds=60, method="sgd", rate=3.0, momentum=0.0))
    risen = [text for text in result.warnings if text.startswith("the loss has risen")]
    assert result.accuracy is not None
    assert result.accuracy > 0.5
    assert len(risen) == 1
    assert "is better than guessing: trust no probabilities" in risen[0]
    assert "nothing was learned" not in f"{risen} {result.verdict}"


def test_run_and_inspect_say_verdict_ceiling_and_what_is_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [
        "--data",
        "digits",
        "--partition",
        "by-label",
        "--rounds",
        "60",
        "--attack",
        "duplicate",
        "--byzantine",
        "8",
    ]
    assert main(["run", *flags, "--out", str(tmp_path / "run")]) == 0
    told = capsys.readouterr().out
    assert "of at most 0.5877: only attackers hold the other classes" in told
    assert f"worker by worker: holdfast inspect {tmp_path / 'run'}" in told
    assert main(["inspect", str(tmp_path / "run")]) == 0
    assert "of at most 0.5877" in capsys.readouterr().out
    assert "of at most 0.5877" in (tmp_path / "run" / "report.html").read_text()


# -- who is accused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rsa", "watchful-rsa:messages=bits", "median"])
def test_nobody_is_accused_on_a_few_coordinates(method: str, tmp_path: Path) -> None:
    data = line((LINE.sum(axis=1) > 0).astype(int))
    np.savez(
        tmp_path / "line.npz",
        x_train=data.train_features, y_train=data.train_targets, x_test=data.test_features, y_test=data.test_targets,
    )  # fmt: skip
    run(replace(BASE, data=str(tmp_path / "line.npz"), method=method), tmp_path / "run")
    found = inspect(tmp_path / "run")
    assert all(each.suspicion is None for each in found.workers)
    said = f"No worker was judged by its messages: messages of fewer than {LEAST_COORDINATES} numbers are not compared."
    assert said in found.notes


def test_honest_workers_that_hold_one_class_are_no_copies_of_each_other(tmp_path: Path) -> None:
    """All features of digits are positive, so that gradients of one class have the same signs."""
    run(replace(BASE, partition="by-label", method="median"), tmp_path / "run")
    assert not any(each.suspicion is not None and each.suspicion.copied for each in inspect(tmp_path / "run").workers)


@pytest.mark.parametrize("partition", [Dirichlet(1e308), Dirichlet(1e308, per="worker"), Quantity(1e308)], ids=str)
def test_proportions_that_could_not_be_more_even(partition: Any) -> None:
    parts = partition.deal(np.arange(200) % 4, 8, np.random.default_rng(0))
    assert {len(part) for part in parts} <= {24, 25, 26}
