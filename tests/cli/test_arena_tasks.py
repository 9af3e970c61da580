"""`holdfast arena` on several data sets with several models, from end to end."""

import json
import re
from pathlib import Path

import pytest
from commands import Ended, command_into

TINY = ["arena", "--workers", "5", "--rounds", "6", "--eval-every", "3", "--jobs", "1", "--json", "--rate", "0.01"]
MET = ["--method", "rsa:penalty=0.1", "median", "--attack", "sign-flip", "--partition", "iid", "--byzantine", "1"]


def table(path: Path, rows: int = 60) -> str:
    """Write a table of two classes and return its path."""
    lines = [f"{k % 7},{k % 5},{'ill' if k % 3 else 'well'}" for k in range(rows)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["age,dose,state", *lines]), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("tasks")
    data = ["--data", "digits", table(folder / "Patients.csv"), table(folder / "other" / "patients.csv", 66)]
    return command_into(folder / "out", *TINY, *MET, *data, "--factors", "0.5", "1")


def test_every_standing_names_its_data_set(played: Ended) -> None:
    assert played.status == 0, played.stderr
    standings = played.results["standings"]
    assert [Path(each["data"]).name for each in standings] == [
        name for name in ("digits", "Patients.csv", "patients.csv") for _ in range(2 * (1 + 1))
    ]
    assert {each["model"] for each in standings} == {"none"}


def test_files_of_data_sets_whose_names_look_alike_are_different(played: Ended) -> None:
    found = {path.name for path in played.out.iterdir()}
    assert {"validation-digits.npz", "validation-patients.csv.npz", "validation-patients.csv-2.npz"} <= found
    assert {"worst-digits-iid-q=1.png", "worst-patients.csv-iid-q=1.png", "worst-patients.csv-iid-q=1-2.png"} <= found
    assert "validation.npz" not in found


def test_each_method_tries_its_step_sizes_on_every_data_set(played: Ended) -> None:
    assert len(list((played.out / "tries").glob("*.json"))) == 3 * 2 * 2  # data sets, methods and factors
    assert len(list((played.out / "runs").glob("*.json"))) == 3 * 2 * 2  # data sets, methods, and under attack or not


def test_step_sizes_are_tried_on_what_is_played(played: Ended) -> None:
    """A table is standardised and has no regulariser; the file of its held-out samples would have other defaults."""
    said = {
        store: {
            (spec["problem"]["name"], spec["problem"]["l2"], spec["data"]["scale"])
            for path in (played.out / store).glob("*.json")
            for spec in [json.loads(path.read_text())["run"]["spec"]]
        }
        for store in ("tries", "runs")
    }
    assert said["tries"] == said["runs"] == {("softmax", 0.01, 16.0), ("logistic", 0.0, "standard")}


def test_the_page_has_one_leaderboard_and_a_table_for_each_task(played: Ended) -> None:
    page = (played.out / "report.html").read_text()
    headings = re.findall("<h2>(.*?)</h2>", page.partition('<script type="module">')[0])
    expected = ["Leaderboard: the worst case over all attacks", "Who holds what", "digits", "Patients.csv"]
    assert headings == [*expected, "patients.csv"]
    for sentence in (played.results["headline"], played.results["conclusion"]):
        assert sentence in page
    # the worst case, one of q and one of who holds what; the curves in every condition: with one attack there is no map
    assert page.count('<figure class="chart') == 3 + 3 * (1 + 1)
    assert "on digits, " in played.stderr
    assert "Patients.csv: " in played.stderr


def test_a_changed_data_set_is_noticed_and_the_others_are_kept(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    data = ["--data", table(one), table(other, 66)]
    first = command_into(tmp_path / "out", *TINY, *MET, *data)
    assert first.status == 0, first.stderr
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "runs").glob("*.json")}
    table(other, 72)
    again = command_into(tmp_path / "out", *TINY, *MET, *data, "--resume")
    assert again.status == 0, again.stderr
    assert again.stderr.count("is not used, its run is repeated: it is of other data") == len(kept) / 2
    same = [path for path, moment in kept.items() if path.stat().st_mtime_ns == moment]
    assert len(same) == len(kept) / 2
    assert all(one.name in path.read_text() for path in same)


def test_one_task_is_called_as_ever(tmp_path: Path) -> None:
    data = ["--data", table(tmp_path / "patients.csv")]
    ended = command_into(tmp_path / "out", *TINY, *MET, *data, "--factors", "0.5", "1")
    assert ended.status == 0, ended.stderr
    names = {path.name for path in ended.out.iterdir() if path.is_file() and path.name != ".lock"}
    assert names == {
        "report.html",
        "results.json",
        "table.csv",
        "validation.npz",
        "worst-iid-q=1.png",
        "worst-iid-q=1.svg",
    }
    assert "iid, q = 1" in ended.stderr
    assert "patients.csv: " not in ended.stderr
    assert "Models" not in (ended.out / "report.html").read_text()


def test_a_spec_file_may_say_what_is_learnt_and_stand_behind_the_data(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(f'[data]\nname = "{table(tmp_path / "patients.csv")}"\nworkers = 6\n', encoding="utf-8")
    alone = command_into(tmp_path / "alone", *TINY, *MET, str(spec))
    behind = command_into(tmp_path / "behind", *TINY, *MET, "--data", "digits", str(spec))
    assert (alone.status, behind.status) == (0, 0), behind.stderr
    assert {Path(each["data"]).name for each in alone.results["standings"]} == {"patients.csv"}
    assert {each["data"] for each in behind.results["standings"]} == {"digits"}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--data", "digits", "minst"], "unknown data set 'minst'"),
        (["--data", "digits", "nowhere.npz"], "nowhere.npz"),
        (
            ["--data", "digits", "digits"],
            "an arena needs at least one of data, all different; got ['digits', 'digits']",
        ),
        (["--model", "none", "mpl"], "unknown model 'mpl'"),
        (["--model", "mlp:hidden=x", "none"], "hidden"),
        (["--model", "none", "none"], "an arena needs at least one of models, all different; got [None, None]"),
        (["--model", "mlp", "none", "--normalise", "none"], "normalise needs a model"),
    ],
)
def test_bad_tasks_are_one_line(argv: list[str], message: str, tmp_path: Path) -> None:
    ended = command_into(tmp_path / "out", *TINY, *MET, *argv)
    assert ended.status == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not ended.out.exists()
