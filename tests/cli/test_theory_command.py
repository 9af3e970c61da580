"""`holdfast theory`, and the theorems' step sizes in runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from changed import ready
from holdfast.cli import main
from holdfast.runs.experiment import assemble
from holdfast.runs.plan import remake_plan
from holdfast.runs.runner import resume, run
from holdfast.runs.spec import Spec
from holdfast.theory import InverseSteps


@pytest.fixture
def regression(tmp_path: Path) -> str:
    """A file whose workers' losses are strongly convex."""
    generator = np.random.default_rng(0)
    features = generator.normal(size=(300, 2))
    np.savez(tmp_path / "own.npz", x=features, y=features @ [3.0, -2.0] + 1 + generator.normal(size=300))
    return str(tmp_path / "own.npz")


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, object]:
    assert main(["theory", *argv, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    found: dict[str, object] = json.loads(printed.out)
    return found


def test_classes_have_a_lambda0_but_no_rate(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(
        capsys, "--data", "digits", "--scale", "1", "--partition", "by-label", "--workers", "10", "--byzantine", "2"
    )
    asked = found["lambda0_per_worker"]
    assert isinstance(asked, list)
    assert len(asked) == 8
    assert found["lambda0"] == max(asked)
    assert found["lambda0_median"] == pytest.approx(np.median(asked))
    assert found["mu"] == [0.0] * 8
    assert (found["mu0"], found["L0"]) == (0.01, 0.01)
    assert found["eta"] is found["alpha_low"] is found["Delta1"] is found["sqrt_gap"] is None
    assert isinstance(found["optimum_gradient"], float)
    assert found["optimum_gradient"] <= 1e-3


def test_strongly_convex_losses_have_everything(regression: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = (
        "--data",
        regression,
        "--problem",
        "least-squares",
        "--workers",
        "5",
        "--byzantine",
        "1",
        "--method",
        "rsa:penalty=9",
    )
    found = told(capsys, *argv)
    assert None not in found.values()
    verdicts = found["guarantees"]
    assert isinstance(verdicts, dict)
    assert all(verdict["holds"] for verdict in verdicts.values())
    below = told(capsys, *argv[:-1], "rsa:penalty=1e-4")
    assert isinstance(below["Delta3"], float)
    assert below["Delta3"] > 0


def test_the_table_says_plainly_what_is_not_promised(regression: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "--data", "digits", "--scale", "1", "--workers", "4"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("no guarantee: mu_1 = 0, mu_2 = 0, mu_3 = 0 and 1") == 3
    argv = ["--data", regression, "--problem", "least-squares", "--workers", "4", "--method", "rsa:norm=inf"]
    assert main(["theory", *argv]) == 0
    printed = capsys.readouterr().out
    assert "linf" in printed
    assert "asymptotic gap of theorem 2" in printed


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["--method", "krum"], "the theorems speak of rsa and ideal-rsa; got method=krum"),
        (["--method", "rsa:reply=updated"], "current iterate; got reply=updated"),
    ],
)
def test_what_no_theorem_covers(argv: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theory", "--data", "digits", *argv]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("schedule", ["theorem2", "theorem-sqrt"])
def test_runs_with_a_theorems_steps(schedule: str, regression: str) -> None:
    spec = Spec(
        data=regression,
        problem="least-squares",
        method="rsa:norm=1,penalty=0.07",
        workers=5,
        schedule=schedule,
        rounds=300,
        eval_every=100,
        l2=0.5,
    )
    result = run(spec)
    assert result.spec.rate is None
    assert result.history[-1].loss < result.history[0].loss


def test_a_theorems_steps_are_the_same_after_an_interruption(regression: str, tmp_path: Path) -> None:
    spec = Spec(
        data=regression,
        method="rsa",
        problem="least-squares",
        workers=5,
        schedule="theorem2",
        rounds=40,
        checkpoint_every=20,
    )
    whole = run(spec, tmp_path / "run")
    (tmp_path / "run" / "checkpoint.npz").unlink()  # the one before it is of round 20
    assert resume(tmp_path / "run").model.tolist() == whole.model.tolist()


def test_steps_come_from_the_honest_workers(regression: str) -> None:
    spec = Spec(data=regression, method="rsa", problem="least-squares", workers=3, schedule="theorem2", rate=1e4)
    attacked = assemble(remake_plan(ready(replace(spec, byzantine=(1, 2), attack="gaussian"))))
    everyone = assemble(remake_plan(ready(spec)))
    for experiment, honest in ((attacked, [3]), (everyone, [1, 2, 3])):
        assert experiment.engine.honest.tolist() == honest
    steps, fewer = everyone.program.rate, attacked.program.rate
    assert isinstance(steps, InverseSteps)
    assert isinstance(fewer, InverseSteps)
    assert steps.high == fewer.high == 1e4
    assert steps.low <= fewer.low


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (
            ["theorem2", "--method", "rsa"],
            "theorem2 needs strongly convex losses, mu_i > 0 for every worker and the master; got mu_1 = 0",
        ),
        (["theorem-sqrt", "--method", "krum"], "theorem-sqrt is a step size of rsa and ideal-rsa; got method=krum"),
    ],
)
def test_steps_that_do_not_exist(
    argv: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--data", "digits", "--out", str(tmp_path / "run"), "--schedule", *argv]) == 2
    message = capsys.readouterr().err
    assert complaint in message
    assert message.count("\n") == 1
