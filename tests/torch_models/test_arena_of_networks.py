"""`holdfast arena` with several models: each is a task, as each data set is."""

import json
import re
from pathlib import Path

import pytest

from holdfast.cli import main

pytest.importorskip("torch")

TINY = ["arena", "--workers", "5", "--rounds", "6", "--eval-every", "3", "--jobs", "1", "--quiet", "--rate", "0.01"]
MET = ["--method", "rsa:penalty=0.1", "median", "--attack", "sign-flip", "--partition", "iid", "--byzantine", "1"]


def test_models_make_tasks_as_data_sets_do(tmp_path: Path) -> None:
    data, out = tmp_path / "patients.csv", tmp_path / "out"
    lines = [f"{k % 7},{k % 5},{'ill' if k % 3 else 'well'}" for k in range(60)]
    data.write_text("\n".join(["age,dose,state", *lines]), encoding="utf-8")
    models = ["--model", "none", "mlp:hidden=4"]
    assert main([*TINY, *MET, "--data", str(data), "digits", *models, "--out", str(out)]) == 0
    standings = json.loads((out / "results.json").read_text())["standings"]
    tasks = {(Path(each["data"]).name, each["model"]) for each in standings}
    assert tasks == {(data, model) for data in ("patients.csv", "digits") for model in ("none", "mlp:hidden=4")}
    assert (out / "worst-digits-mlp-hidden=4-iid-q=1.png").exists()
    page = (out / "report.html").read_text()
    assert {"<h2>digits, linear</h2>", "<h2>digits, mlp:hidden=4</h2>"} <= set(re.findall("<h2>.*?</h2>", page))
    assert "Models: none, mlp:hidden=4." in page
