"""A stranger's table under attack, with no other flag: as good as scikit-learn on the honest workers' pooled data."""

from pathlib import Path

import numpy as np
import pytest
from commands import command
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import load
from holdfast.data import Iid
from holdfast.streams import Stream
from strict_json import strict


@pytest.mark.parametrize(
    ("name", "score", "within"),
    [("wine", "accuracy", 0.03), ("breast_cancer", "accuracy", 0.03), ("diabetes", "r2", 0.06)],
)
def test_a_table_without_a_flag(
    name: str, score: str, within: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bunch = getattr(datasets, f"load_{name}")()
    head = ",".join([*bunch.feature_names, "target"])
    rows = np.column_stack([bunch.data, bunch.target])
    np.savetxt("own.csv", rows, delimiter=",", header=head, comments="", fmt="%.17g")
    ended = command("run", "--data", "own.csv", "--attack", "sign-flip", "--byzantine", "4", "--json", "--out", "run")
    assert ended.status == 0, ended.stderr
    told, data = strict(ended.stdout), load("own.csv")
    parts = Iid().deal(data.train_targets, 20, Stream(0, "partition").generator())
    honest = np.concatenate(parts[:16])
    rival = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000) if score == "accuracy" else Ridge())
    rival.fit(data.train_features[honest], data.train_targets[honest])
    assert told["score"] == score
    assert told[score] >= rival.score(data.test_features, data.test_targets) - within
