"""The presets against the paper's "Numerical Tests", typed out by hand from it."""

from math import inf

import pytest

from holdfast.attacks import ATTACKS
from holdfast.errors import InvalidInput
from holdfast.methods import Rsa
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import require_number
from holdfast.studies.paper.figures import NAMES, Curve, figure
from holdfast.studies.paper.rates import Rates, Searched, Trial, describe_setting, load_rates

FIGURES = {name: figure(name, load_rates()) for name in NAMES}
LABELS = ["Ideal SGD", "RSA", "GeoMed", "Krum", "Median", "SGD"]
METHODS = ["ideal-sgd", "rsa", "geometric-median", "krum", "median", "sgd"]

PAPER = {
    # figure: [(q, attack, lambda, alpha) of l1-RSA in each panel], partition
    "no-attack": ([(0, "none", 0.1, 0.003)], "iid"),
    "same-value": ([(q, "same-value:value=100", 0.07, 0.001) for q in (4, 8)], "iid"),
    "sign-flipping": ([(4, "sign-flip:factor=-4", 0.07, 0.001), (8, "sign-flip:factor=-4", 0.01, 0.0003)], "iid"),
    "gaussian": ([(q, "gaussian:scale=10000", 0.07, 0.002) for q in (4, 8)], "iid"),
    "runtime": ([(8, "same-value:value=100", 0.07, 0.001)], "iid"),
    "heterogeneous": ([(q, "duplicate:worker=1", 0.5, 0.0005) for q in (4, 8)], "by-label"),
}


def attack(spec: Spec) -> str:
    return "none" if spec.attack is None else ATTACKS.text(spec.attack, full=True)


def rsa(spec: Spec) -> tuple[int, str, float, float]:
    return spec.q, attack(spec), *values(spec)[1:]


def values(spec: Spec) -> tuple[float, float, float]:
    """Norm, lambda and alpha of RSA."""
    assert type(spec.method) is Rsa
    return spec.method.norm, require_number(spec.method.penalty), require_number(spec.rate)


@pytest.mark.parametrize("name", PAPER)
def test_panels_have_the_papers_attack_q_lambda_and_alpha(name: str) -> None:
    panels, partition = PAPER[name]
    assert [rsa(panel.curves[1].spec) for panel in FIGURES[name].panels] == panels
    for (q, sent, *_), panel in zip(panels, FIGURES[name].panels, strict=True):
        assert [curve.label for curve in panel.curves] == LABELS
        assert [curve.spec.method_name for curve in panel.curves] == METHODS
        for curve in panel.curves:
            spec = curve.spec
            assert (spec.q, attack(spec), spec.partition_text) == (q, sent, partition)
            assert spec.declared == q, "Krum is told the true q"
        assert values(panel.curves[1].spec)[0] == 1


@pytest.mark.parametrize("name", NAMES)
def test_everything_else_is_the_papers_setting(name: str) -> None:
    for curve in FIGURES[name].curves():
        spec = curve.spec
        assert (spec.workers, spec.batch, spec.l2, spec.data, spec.problem) == (20, 32, 0.01, "mnist", "softmax")
        assert (spec.schedule, spec.momentum, spec.scale) == ("inverse-sqrt", 0, 1.0)
        assert getattr(spec.method, "reply", "current") == "current"
        assert spec.rounds == (500 if name == "runtime" else 5000)


def test_norms() -> None:
    quiet, attacked, equal = FIGURES["norms"].panels
    assert [values(c.spec) for c in equal.curves] == [
        (1, 0.1, 0.001), (2, 0.1, 0.001), (inf, 0.1, 0.001),
    ]  # fmt: skip
    assert [values(c.spec) for c in quiet.curves] == [
        (1, 0.1, 0.001), (2, 1.4, 0.001), (inf, 51, 0.0001),
    ]  # fmt: skip
    assert [values(c.spec) for c in attacked.curves] == [
        (1, 0.07, 0.001), (2, 1.2, 0.001), (inf, 20, 0.0001),
    ]  # fmt: skip
    assert {(attack(c.spec), c.spec.q) for c in quiet.curves} == {("none", 0)}
    assert {(attack(c.spec), c.spec.q) for c in attacked.curves} == {("same-value:value=100", 8)}


def test_lambda_spans_four_decades_with_tuned_steps() -> None:
    (panel,) = FIGURES["lambda"].panels
    weights = [values(curve.spec)[1] for curve in panel.curves]
    assert len(weights) >= 9
    assert weights == sorted(weights)
    assert weights[-1] / weights[0] >= 10**4 * (1 - 1e-12)
    assert all(curve.searched and values(curve.spec)[0] == 1 for curve in panel.curves)
    assert {(attack(c.spec), c.spec.q) for c in panel.curves} == {("same-value:value=100", 8)}


def test_only_rivals_and_the_lambda_figure_have_searched_steps() -> None:
    def expected(name: str, curve: Curve) -> bool:
        return name == "lambda" or curve.spec.method_name != "rsa"

    for name, each in FIGURES.items():
        assert all(curve.searched == expected(name, curve) for curve in each.curves())


def test_the_record_covers_every_setting_and_chose_by_its_own_rule() -> None:
    rates = load_rates()
    needed = {describe_setting(curve.spec) for each in FIGURES.values() for curve in each.curves() if curve.searched}
    assert needed == set(rates.settings)
    assert not set(rates.seeds) & set(range(100)), "the seeds of the search are none of the reported ones"
    for searched in rates.settings.values():
        trials, tie = (searched.fine, 0.0005) if searched.fine else (searched.coarse, 0.005)
        best = max(trial.mean for trial in trials)
        assert searched.rate == min(trial.rate for trial in trials if trial.mean >= best - tie)


def test_no_method_that_learns_has_its_best_step_at_the_end_of_what_was_tried() -> None:
    for name, searched in load_rates().settings.items():
        best = max(searched.fine or searched.coarse, key=lambda trial: trial.mean)
        if best.mean > 0.2:
            assert searched.fine[0].rate < best.rate < searched.fine[-1].rate, name


def test_a_record_reads_back_equal() -> None:
    trials = (Trial(1e-07, (0.1, 0.25)), Trial(2e-07, (1 / 3, 0.0)))
    rates = Rates("mnist", 5000, 1000, (7, 8), "the best", {"iid, no attack, sgd": Searched(2e-07, trials[:1], trials)})
    assert Rates.of_toml(rates.to_toml()) == rates


@pytest.mark.parametrize("text", ["", "rate = ", "[iid]\nrate = 1\n", 'seeds = 3\ndata = "x"\n'])
def test_a_record_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="rates must be the record of a search"):
        Rates.of_toml(text)


def test_other_data_keep_everything_but_their_scale() -> None:
    spec = next(figure("gaussian", load_rates(), data="digits").curves()).spec
    assert (spec.data, spec.scale, spec.rounds) == ("digits", 16.0, 5000)


def test_a_quick_figure_says_so() -> None:
    quick = FIGURES["gaussian"].quick()
    assert quick.short
    assert not FIGURES["gaussian"].short
    assert {(curve.spec.rounds, curve.spec.eval_every) for curve in quick.curves()} == {(1000, 100)}


def test_an_unknown_figure_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"unknown figure 'lamda' \(did you mean 'lambda'\?\); known: no-attack"):
        figure("lamda", load_rates())


def test_label_poisoning_is_as_its_authors_set_it() -> None:
    poisoning = figure("label-poisoning", load_rates())
    partitions = ["iid", "dirichlet:alpha=1", "by-label"]
    flips = ["label-flip", "dynamic-label-flip"]
    settings = [(panel.curves[1].spec.partition_text, panel.curves[1].spec.attack_text) for panel in poisoning.panels]
    assert settings == [(partition, attack) for partition in partitions for attack in flips]
    for panel in poisoning.panels:
        assert [curve.spec.method_name for curve in panel.curves] == [
            "ideal-sgd", "sgd", "trimmed-mean", "faba", "centered-clipping", "rsa",
        ]  # fmt: skip
        for curve in panel.curves[:-1]:
            spec = curve.spec
            assert (spec.workers, spec.q, spec.rate, spec.momentum, spec.l2) == (10, 1, 0.01, 0.9, 0.01)
            assert (spec.schedule, spec.batch) == ("constant", 32)
            assert spec.scale == pytest.approx(1 / 255)
        assert panel.curves[-1].spec.rate == "auto"


def test_duplication_tunes_nobody() -> None:
    for curve in figure("duplication", load_rates()).curves():
        assert (curve.spec.rate, curve.spec.partition_text, curve.spec.attack_text) == ("auto", "by-label", "duplicate")
        assert not curve.searched
