"""`holdfast list` and `holdfast data` tell of everything there is."""

from pathlib import Path
from typing import Any

import pytest

from holdfast import aggregators, attacks, data, methods, problems, stages
from holdfast.cli import main
from holdfast.data import partitions
from holdfast.data.image_sets import ImageSet
from holdfast.engines import engine_options as options
from holdfast.methods import schedules
from holdfast.naming import summary
from holdfast.theory import steps
from tiny_images import CHECKSUMS, FILES


@pytest.fixture(autouse=True)
def with_an_empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def listed(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """Return what a command prints, with single spaces: long explanations are wrapped."""
    assert main(argv) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "\x1b" not in printed.out
    return " ".join(printed.out.split())


def test_every_member_is_listed_with_its_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    told = {rule.__name__: summary(rule) for rule in aggregators.REGISTRY.values()}
    for family in (methods, stages, attacks, data, partitions, problems, schedules, steps, options):
        registry: dict[str, Any] = family.REGISTRY
        told |= {name: summary(member) for name, member in registry.items()}
    for name, explanation in told.items():
        assert name in text
        assert len(explanation) > 10, f"{name} explains itself"
        assert " ".join(explanation.split()) in text, f"{name} is explained"


def test_parameters_are_listed_with_their_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    for usage in ("same-value:value=100 ", "sign-flip:factor=-4 ", "gaussian:scale=10000 ", "duplicate:worker=1 "):
        assert usage in text
    assert "dirichlet:alpha=" in text
    assert "rsa:penalty=auto,messages=full,local_steps=1,reply=current " in text
    assert "bucketing:size=2 " in text
    assert "ray:shards=0,address=local," in text


def test_options_without_a_fixed_default_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    assert f"{summary(methods.Rsa)} Also takes norm, ties." in text
    assert f"{summary(aggregators.MultiKrum)} Also takes byzantine, selected." in text


def test_code_of_ones_own_is_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert "package.module:Name[:key=value,...]" in listed(capsys, "list")


def test_who_sees_every_message_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    colluding = [attack for attack in attacks.REGISTRY.values() if issubclass(attack, attacks.ColludingAttack)]
    assert text.count("Sees every honest message.") == len(colluding) > 0


def test_files_are_listed_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    assert "FILE.npz" in text
    assert "FILE.csv" in text


def test_data_list_says_what_is_here_and_how_to_get_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(data.REGISTRY)
    for (name, loader), line in zip(data.REGISTRY.items(), lines, strict=True):
        assert summary(loader) in line
        expected = f"holdfast data fetch {name}" if name in data.FETCHED else "embedded"
        assert expected in line


class Shelf:
    """A source that always has everything, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def fetch(self, names: object) -> dict[str, bytes]:
        self.asked += 1
        return FILES


def mnist_from(source: Any) -> ImageSet:
    return ImageSet("mnist", CHECKSUMS, (source,))


def test_data_fetch_fetches_once_and_says_where(
    with_an_empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf()
    monkeypatch.setitem(data.FETCHED, "mnist", mnist_from(shelf))
    folder = with_an_empty_cache / "mnist"
    for _ in range(2):
        assert listed(capsys, "data", "fetch", "mnist") == f"mnist: in {folder}, checksums right"
    assert shelf.asked == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert str(folder) in listed(capsys, "data", "list")


def test_data_fetch_of_an_unknown_name_fetches_nothing(
    with_an_empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf()
    monkeypatch.setitem(data.FETCHED, "mnist", mnist_from(shelf))
    assert main(["data", "fetch", "mnist", "emnist"]) == 2
    assert capsys.readouterr().err == (
        "holdfast: unknown data set to fetch 'emnist' (did you mean 'mnist'?); known: mnist, fashion-mnist, cifar10\n"
    )
    assert shelf.asked == 0
    assert not with_an_empty_cache.exists()


def test_a_cache_that_cannot_be_written_is_one_line(
    with_an_empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_an_empty_cache.write_text("a file, not a folder")
    monkeypatch.setitem(data.FETCHED, "mnist", mnist_from(Shelf()))
    assert main(["data", "fetch", "mnist"]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert str(with_an_empty_cache) in message


def test_rules_are_listed_by_family(capsys: pytest.CaptureFixture[str]) -> None:
    text = listed(capsys, "list")
    where = [text.index(word) for word in ("coordinate by coordinate", "(Median)", "by mutual distances", "(Krum)")]
    assert where == sorted(where)


def test_cite_prints_each_source_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", "rsa", "nnm+krum", "multi-krum", "alie", "saga"]) == 0
    printed = capsys.readouterr().out
    for key in ("li2019rsa", "allouah2023fixing", "blanchard2017machine", "baruch2019little", "defazio2014saga"):
        assert printed.count(f"{{{key},") == 1
    assert main(["cite", "sgd"]) == 2
    assert capsys.readouterr().err == "holdfast: cite needs a part that has a source; got sgd\n"
    assert main(["cite", "krumm"]) == 2
