"""`holdfast arena` from end to end on digits, in seconds."""

import json
from pathlib import Path

import pytest
from commands import Ended, command_into

TINY = ["arena", "--workers", "9", "--rounds", "12", "--eval-every", "4", "--jobs", "2", "--json"]
MET = ["--method", "rsa", "krum", "median", "--attack", "sign-flip", "duplicate", "--partition", "by-label"]
TOLD = ["--byzantine", "2", "4:2", "4:7"]


def arena(out: Path, *argv: str) -> Ended:
    return command_into(out, *TINY, *MET, *TOLD, *argv)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return arena(tmp_path_factory.mktemp("arena") / "out")


def test_json_is_one_object_with_every_cell(played: Ended) -> None:
    assert played.status == 0, played.stderr
    assert json.loads(played.stdout) == played.results
    standings = played.results["standings"]
    assert len(standings) == 3 * (1 + 3)
    assert {(each["byzantine"], each["declared"]) for each in standings} == {(0, 2), (2, 2), (4, 2), (4, 7)}
    for standing in standings:
        finals = [cell["final"] for cell in standing["cells"] if "final" in cell]
        if len(finals) == len(standing["cells"]):
            assert standing["score"] == min(finals)


def test_what_cannot_be_played_is_one_cell_with_its_reason(played: Ended) -> None:
    failed = {
        (standing["method"], standing["declared"], cell["failure"])
        for standing in played.results["standings"]
        for cell in standing["cells"]
        if "failure" in cell
    }
    assert {(method, declared) for method, declared, _ in failed} == {("krum", 7)}
    assert all("Krum needs" in reason for _, _, reason in failed)
    assert "not playable" in played.stderr


def test_the_page_says_what_to_conclude(played: Ended) -> None:
    page = (played.out / "report.html").read_text()
    assert played.results["headline"] in page
    assert played.results["conclusion"] in page
    # one of q and one of who holds what; two in every condition
    assert page.count('<figure class="chart') == 2 + 2 * (1 + 3)


def test_each_method_takes_the_best_factor_on_held_out_samples(tmp_path: Path) -> None:
    few = ["--method", "rsa", "median", "--attack", "sign-flip", "--partition", "iid", "--byzantine", "2"]
    plain = command_into(tmp_path / "plain", *TINY, *few)
    tried = command_into(tmp_path / "tried", *TINY, *few, "--factors", "1e-6", "1")
    assert (plain.status, tried.status) == (0, 0), tried.stderr
    assert tried.results["factors"] == [1e-6, 1]
    assert tried.results["standings"] == plain.results["standings"]  # a step of nothing never wins
    assert len(list((tried.out / "tries").glob("*.json"))) == 2 * 2  # methods and factors
    assert "held back" in (tried.out / "report.html").read_text()
    one = command_into(tmp_path / "one", *TINY, *few, "--factors", "1e-6")
    rates = [
        [cell["rate"] for each in played["standings"] for cell in each["cells"]]
        for played in (one.results, plain.results)
    ]
    assert rates[0] == pytest.approx([1e-6 * rate for rate in rates[1]], rel=1e-2)  # rates have three digits
    assert not (one.out / "tries").exists()
    assert "times 1e-06" in (one.out / "report.html").read_text()
    refused = command_into(tmp_path / "refused", *TINY, *few, "--factors", "-1")
    assert refused.status == 2
    assert "--factors must be positive and finite; got -1" in refused.stderr


def test_resume_repeats_nothing_that_is_finished(played: Ended) -> None:
    files = sorted((played.out / "runs").glob("*.json"))
    before, results = {path: path.stat().st_mtime_ns for path in files}, played.results
    files[0].unlink()
    again = arena(played.out, "--resume")
    assert again.status == 0
    assert again.results == results
    assert [path for path in files if path.stat().st_mtime_ns != before[path]] == files[:1]


def test_an_attack_that_raises_is_one_red_cell(tmp_path: Path) -> None:
    broken = ["--method", "median", "sgd", "--attack", "sign-flip", "outsiders:Broken", "--partition", "iid"]
    ended = command_into(tmp_path / "out", *TINY, *broken, "--byzantine", "2")
    assert ended.status == 0, ended.stderr
    cells = {
        (standing["method"], cell["attack"]): cell.get("failure")
        for standing in ended.results["standings"]
        for cell in standing["cells"]
    }
    assert {attack for (_, attack), failure in cells.items() if failure} == {"outsiders:Broken"}
    assert {failure for failure in cells.values() if failure} == {"RuntimeError: nothing to send"}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "median could not be played: RuntimeError: nothing to send" in page


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--preset", "huge"], "unknown preset 'huge'; known: full, "),
        (["--byzantine", "4:x"], "--byzantine must be Q or Q:TOLD with whole numbers; got 4:x"),
        (["--seeds", "0"], "seeds must be at least 1; got 0"),
        (["--method", "krum", "krum"], "an arena needs at least one of methods, all different"),
    ],
)
def test_bad_arguments_are_one_line(argv: list[str], message: str, tmp_path: Path) -> None:
    ended = command_into(tmp_path / "out", *TINY, *argv)
    assert ended.status == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not ended.out.exists()
