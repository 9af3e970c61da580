"""Attacks on three honest workers by two Byzantine ones, worked out by hand."""

from dataclasses import replace
from math import cos, pi, sin, sqrt
from typing import get_args

import numpy as np
import pytest

from holdfast.aggregators import Mean, Median
from holdfast.attacks import (
    Adaptive,
    Alie,
    BitFlip,
    Contrarian,
    Delayed,
    Dropped,
    Duplicate,
    DynamicLabelFlip,
    Framing,
    FullView,
    Gaussian,
    Infinite,
    InnerProduct,
    LabelFlip,
    LocalView,
    Mimic,
    MinMax,
    MinSum,
    NegativeSum,
    NoisyDuplicate,
    PartialContrarian,
    RandomLabels,
    Rotating,
    SameValue,
    SignFlip,
    Sleeper,
    TrimmedMeanAttack,
)
from holdfast.attacks.line_search import damage_of, search_line, search_upward
from holdfast.attacks.mean_shifts import largest_z
from holdfast.attacks.perturbations import Perturbation, perturbation
from holdfast.errors import InvalidInput
from holdfast.streams import Stream
from holdfast.typing import Rows

HONEST = np.array([[1.0, -2.0, 4.0], [3.0, 1.0, -1.0], [-1.0, -5.0, 0.0]])
OWN = np.array([[2.0, 2.0, -1.0], [0.5, 0.0, 8.0]])
MODEL = np.array([2.0, -1.0, 0.0])


def view(neutral: Rows, own: Rows = OWN, honest: Rows = HONEST, round: int = 3, seed: int = 0) -> FullView:
    """Workers 2, 3 and 5 are honest, 1 and 4 are not."""
    return FullView(own, neutral, np.array([1, 4][: len(own)]), round, seed, honest, np.array([2, 3, 5]))


GRADIENTS = view(neutral=np.zeros(3))
MODELS = view(neutral=MODEL)
either = pytest.mark.parametrize("seen", [GRADIENTS, MODELS], ids=["gradients", "models"])


def test_a_view_by_hand() -> None:
    """Two honest workers, 1 and 2, and two others that would send the neutral message, in round 0 of seed 0."""
    seen = FullView.of(HONEST[:2], byzantine=2, neutral=MODEL)
    assert (seen.honest_workers.tolist(), seen.workers.tolist(), seen.absent.tolist()) == ([1, 2], [3, 4], [])
    assert (seen.round, seen.seed, seen.aggregate) == (0, 0, None)
    assert seen.honest.tolist() == HONEST[:2].tolist()
    assert seen.own.tolist() == [MODEL.tolist()] * 2


@either
def test_same_value(seen: FullView) -> None:
    assert SameValue()(seen).tolist() == [[100] * 3] * 2
    assert SameValue(value=-7.5)(seen).tolist() == [[-7.5] * 3] * 2


@either
def test_sign_flip(seen: FullView) -> None:
    assert SignFlip()(seen).tolist() == [[-8, -8, 4], [-2, 0, -32]]
    assert SignFlip(factor=-1.0)(seen).tolist() == (-OWN).tolist()


@pytest.mark.parametrize("factor", [0.0, 0.5, 4.0])
def test_a_factor_that_flips_no_sign_is_said(factor: float) -> None:
    assert SignFlip(factor).caution() == f"sign-flip with factor={factor:g} flips no sign: a factor below 0 does"
    assert SignFlip(-factor - 1).caution() is None


@either
def test_infinite(seen: FullView) -> None:
    assert Infinite()(seen).tolist() == [[np.inf] * 3] * 2


@either
def test_gaussian_is_fixed_by_its_address_and_of_its_scale(seen: FullView) -> None:
    sent = Gaussian()(seen)
    np.testing.assert_array_equal(sent, Gaussian()(view(neutral=seen.neutral, own=-OWN)))
    np.testing.assert_allclose(Gaussian(scale=1.0)(seen), sent / 10000)
    assert len(np.unique([sent, Gaussian()(view(MODEL, round=4)), Gaussian()(view(MODEL, seed=1))])) == 18
    many = Gaussian()(view(np.zeros(10_000), own=np.zeros((2, 10_000))))
    assert abs(many.mean()) < 4 * 10_000 / 20_000**0.5
    assert abs(many.std() / 10_000 - 1) < 0.02


@either
def test_negative_sum_of_one_worker(seen: FullView) -> None:
    """The honest messages add up to (3, -6, 3)."""
    sent = NegativeSum()(view(seen.neutral, own=OWN[:1]))
    assert sent.tolist() == [[-3, 6, -3]]
    assert (HONEST.sum(axis=0) + sent.sum(axis=0)).tolist() == [0, 0, 0]


@either
def test_negative_sum_of_two_workers(seen: FullView) -> None:
    sent = NegativeSum()(seen)
    assert sent.tolist() == [[-1.5, 3, -1.5]] * 2
    assert (HONEST.sum(axis=0) + sent.sum(axis=0)).tolist() == [0, 0, 0]


@either
def test_duplicate(seen: FullView) -> None:
    """Worker 5 is the third honest one."""
    assert Duplicate(worker=5)(seen).tolist() == [[-1, -5, 0]] * 2
    assert Duplicate(worker=2)(seen).tolist() == [[1, -2, 4]] * 2


@pytest.mark.parametrize("worker", [1, 6, 0])
def test_duplicate_of_nobody_honest(worker: int) -> None:
    with pytest.raises(InvalidInput, match=f"needs an honest worker to copy; got worker={worker}"):
        Duplicate(worker)(MODELS)


def test_noisy_copies() -> None:
    """Turned round 1 a message of 3 is -1. Each worker turns a tenth of the coordinates, the same in all rounds."""
    honest = np.full((3, 4000), 3.0)
    seen = view(np.ones(4000), own=np.zeros((2, 4000)), honest=honest)
    sent = NoisyDuplicate(worker=2)(seen)
    assert set(np.unique(sent)) == {-1.0, 3.0}
    assert (sent < 0).mean(axis=1) == pytest.approx([0.1, 0.1], abs=0.02)
    assert (sent[0] != sent[1]).mean() == pytest.approx(2 * 0.1 * 0.9, abs=0.03)
    words = Stream(0, "noisy duplicate").words(np.array([1, 4]), 0, 4000)
    assert sent.tolist() == np.where(words < 2**64 // 10, -1.0, 3.0).tolist()
    assert sent.tolist() == NoisyDuplicate(worker=2)(replace(seen, round=9)).tolist()
    assert NoisyDuplicate(worker=2, share=0.0)(MODELS).tolist() == Duplicate(worker=2)(MODELS).tolist()


def test_contrarian_in_part() -> None:
    """Gradients: the mean is (1, -2, 1), so that the second coordinate matters most: there contrarian's 5, elsewhere
    the messages of workers 2 and 3. Of models (-1, -1, 1) from the master, the first of equals: contrarian's 5.
    From (-1, 2, 1) the mean is (2, -4, 0) off, and the honest are (-4, -1, -7) in the second: 2 + 7.
    """
    assert PartialContrarian()(view(np.array([-1.0, 2.0, 1.0]))).tolist() == [[1, 9, 4], [3, 9, -1]]
    assert PartialContrarian()(GRADIENTS).tolist() == [[1, 5, 4], [3, 5, -1]]
    assert PartialContrarian()(MODELS).tolist() == [[5, -2, 4], [5, 1, -1]]
    assert PartialContrarian(share=1.0)(MODELS).tolist() == Contrarian()(MODELS).tolist()


def test_framing_a_worker() -> None:
    """Signs from the master (- - +), (+ + -), (- - 0) add up to -1, -1, 0: the third is divided most evenly, then the
    first. There worker 5 stands at 0 and below. So from those of workers 2 and 3: 2 + 1, -2, 0 and 2 + 1, 1, 0.
    """
    assert Framing(worker=5, share=0.67)(MODELS).tolist() == [[3, -2, 0], [3, 1, 0]]
    assert Framing(worker=5, share=0.0)(MODELS).tolist() == HONEST[:2].tolist()
    gone = replace(MODELS, honest_workers=np.array([2, 3, 6]), absent=np.array([5]))
    assert Framing(worker=5, share=0.0)(gone).tolist() == HONEST[1:].tolist()
    two, one = FullView.of([[3.0, 1.0], [2.0, -1.0]]), FullView.of([[3.0, 1.0]])
    assert Framing(share=0.0)(two).tolist() == [[2, -1]]
    assert Framing()(one).tolist() == [[-3, 1]]  # nobody else to copy
    with pytest.raises(InvalidInput, match="framing needs an honest worker to frame; got worker=4"):
        Framing(worker=4)(MODELS)


@either
def test_sleepers_wake(seen: FullView) -> None:
    """The views are of round 3."""
    assert Sleeper(rounds=4)(seen).tolist() == OWN.tolist()
    assert Sleeper(rounds=3)(seen).tolist() == Contrarian()(seen).tolist()
    assert Sleeper(rounds=3, lie="sign-flip")(seen).tolist() == SignFlip()(seen).tolist()


@either
def test_turns_are_taken(seen: FullView) -> None:
    """Workers 1 and 4 of two groups: worker 4 begins, then it is worker 1's turn."""
    for round, lying in [(0, 1), (4, 1), (5, 0), (9, 0), (10, 1)]:
        expected = OWN.tolist()
        expected[lying] = NegativeSum()(seen)[lying].tolist()
        assert Rotating(rounds=5, lie="negative-sum")(replace(seen, round=round)).tolist() == expected


def test_contrarian_on_gradients() -> None:
    """Signs (+ - +), (+ + -), (- - 0): majorities +, -, none. The farthest from 0 are 3, 5 and 4."""
    assert Contrarian()(GRADIENTS).tolist() == [[-3, 5, 0]] * 2


def test_contrarian_on_models() -> None:
    """Offsets from (2, -1, 0): (-1, -1, 4), (1, 2, -1), (-3, -4, 0). Majorities -, -, none; farthest 3, 4, 4.

    So 2 + 3 = 5 and -1 + 4 = 3, and the tied coordinate stays at the master's 0.
    """
    assert Contrarian()(MODELS).tolist() == [[5, 3, 0]] * 2


def test_a_tied_coordinate_stays_neutral_wherever_the_master_is() -> None:
    tied = np.array([[8.0], [6.0], [7.0]])
    assert Contrarian()(view(np.array([7.0]), own=np.zeros((2, 1)), honest=tied)).tolist() == [[7], [7]]


@either
def test_alie(seen: FullView) -> None:
    """Mean (1, -2, 1); squares off it 0 + 4 + 4, 0 + 9 + 9, 9 + 4 + 1, by n - 1 = 2: deviations 2, 3, sqrt(7)."""
    assert Alie(z=2.0)(seen) == pytest.approx(np.array([[1 - 4, -2 - 6, 1 - 2 * sqrt(7)]] * 2))


def test_alie_by_its_formula() -> None:
    """n = 5, f = 2: s = floor(3.5) - 2 = 1 and Phi(z) = (3 - 1) / 3, z = 0.430727: 1 - 2 z, -2 - 3 z."""
    assert Alie()(GRADIENTS)[0, :2] == pytest.approx([0.138546, -3.292182], abs=1e-5)


@pytest.mark.parametrize(
    ("honest", "byzantine", "z"),
    [
        (12, 8, 0.674490),  # s = 11 - 8 = 3: Phi = 9 / 12
        (19, 1, -0.066012),  # s = 11 - 1 = 10: Phi = 9 / 19, on the other side of the mean
        (3, 4, 0.967422),  # s = 4 - 4 = 0: Phi = 1, kept at 1 - 1 / 6
        (2, 9, 0.674490),  # s = 6 - 9 < 0: Phi > 1, kept at 1 - 1 / 4
    ],
)
def test_alie_of_other_numbers(honest: int, byzantine: int, z: float) -> None:
    rows = np.linspace(-1.0, 1.0, honest)[:, np.newaxis]
    sent = Alie()(FullView.of(rows, byzantine))
    assert sent.shape == (byzantine, 1)
    assert sent / rows.std(ddof=1) == pytest.approx(-z, abs=1e-5)


def test_a_little_of_two_workers() -> None:
    """s = floor(2) - f leaves no honest worker on the near side: Phi = 0, kept half a worker off: 1 / 4 and 1 / 2."""
    assert (largest_z(2, 0), largest_z(2, 1)) == pytest.approx((-0.674490, 0), abs=1e-5)


def test_alie_of_one_honest_worker_copies_it() -> None:
    assert Alie()(FullView.of([[3.0, -1.0]], byzantine=4)).tolist() == [[3.0, -1.0]] * 4


def test_inner_product() -> None:
    """Gradients: -0.1 (1, -2, 1). Models: mean less master (-1, -1, 1), so (2, -1, 0) - 0.5 (-1, -1, 1)."""
    assert InnerProduct()(GRADIENTS) == pytest.approx(np.array([[-0.1, 0.2, -0.1]] * 2))
    assert InnerProduct(scale=0.5)(MODELS) == pytest.approx(np.array([[2.5, -0.5, -0.5]] * 2))


def test_searched_constants() -> None:
    """Mean of 5, mu = (1, -2, 1): sent v, it is (3 mu + 2 v) / 5, off mu by 2 |v - mu| / 5: the farthest tried wins.

    That is 4^4 times the constant, then twice that: for inner-product 512 * 0.1 on the side away from mu.
    """
    asked = replace(GRADIENTS, aggregate=Mean())
    assert InnerProduct(search="line", evaluations=16)(asked)[0] == pytest.approx([-51.2, 102.4, -51.2])
    assert Alie(z=1.0, search="line", evaluations=14)(asked)[0, :2] == pytest.approx([1 - 512, -2 - 768])
    assert Alie(z=1.0, search="line", evaluations=1)(asked)[0, :2] == pytest.approx([-1, -5])
    assert Alie(z=1.0, search="line")(GRADIENTS)[0, :2] == pytest.approx([-1, -5])


def tried(start: float, evaluations: int, goal: float) -> list[float]:
    """The constants that a search tries where the best is the one nearest to the goal."""
    found: list[float] = []

    def damage(constant: float) -> float:
        found.append(constant)
        return -abs(constant - goal)

    best, harm = search_line(damage, start, evaluations)
    assert (-harm, best) == min((abs(each - goal), each) for each in found)
    return found


def test_the_constants_that_a_search_tries() -> None:
    """By powers of 4, of which 4 is nearest to 5. Beside it 8 and 2, then by sqrt(2), where 4 sqrt(2) = 5.66 is nearer.

    Then from there by the root of that, and so on. From 0 the unit is 1.
    """
    far = [16, -16, 1 / 16, -1 / 16, 64, -64, 256, -256]
    near = [8, 2, 4 * 2**0.5, 4 / 2**0.5, 4 * 2**0.75, 4 * 2**0.25]
    assert tried(1.0, 20, goal=5.0) == pytest.approx([1, -1, 4, -4, 1 / 4, -1 / 4, *far, *near])
    assert tried(0.0, 19, goal=0.0) == pytest.approx([0, -1, 1, 4, -4, 1 / 4, -1 / 4, *far, 2, 1 / 2, 2**0.5, 0.5**0.5])
    assert tried(-3.0, 4, goal=99.0) == [-3, 3, -12, 12]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_constants_that_a_search_upward_tries(side: float) -> None:
    """0, 10 and 10 + 20 do ever more; 30 + 40 does less, so do 30 + 32 and 30 + 25.6; 30 + 20.48 does more again."""
    tried: list[float] = []

    def damage(constant: float) -> float:
        tried.append(side * constant)
        return tried[-1] if tried[-1] <= 52 else 0.0

    assert search_upward(damage, 0.7 * side, 8) == pytest.approx((50.48 * side, 50.48))
    assert tried == pytest.approx([0.0, 10.0, 30.0, 70.0, 62.0, 55.6, 50.48, 50.48 + 16.384])


def test_damage_is_the_distance_from_what_agreeing_workers_would_make() -> None:
    """Mean of 5 with 2 sending mu + (3, 4, 0): 2 / 5 of it, of length 5, off mu. What is no number is infinite harm."""
    damage = damage_of(replace(GRADIENTS, aggregate=Mean()))
    assert damage is not None
    assert damage(HONEST.mean(axis=0) + np.array([3.0, 4.0, 0.0])) == pytest.approx(2)
    assert damage(np.full(3, np.nan)) == np.inf
    assert damage_of(GRADIENTS) is None


def test_the_other_direction_is_searched() -> None:
    """Honest 1, 2, 6, mu = 3: the median of five is 1 with two values below, 6 above, and 6 is farther off."""
    asked = FullView.of([[1.0], [2.0], [6.0]], byzantine=2, aggregate=Median())
    assert Alie(z=1.0, search="line", evaluations=4)(asked)[0, 0] >= 6  # tried: 1, -1, 4, -4
    assert Alie(z=1.0)(asked)[0, 0] < 2


@pytest.mark.parametrize("size", [1.0, 0.001])
def test_perturbations(size: float) -> None:
    """Mean (1, -2, 1), as long as sqrt(6); deviations 2, 3, sqrt(7). From the master's model (-1, -1, 1), sqrt(3)."""
    seen = view(np.zeros(3), own=size * OWN, honest=size * HONEST)
    assert perturbation("unit", seen) == pytest.approx(np.array([1, -2, 1]) / sqrt(6))
    assert perturbation("std", seen) == pytest.approx(size * np.array([2, 3, sqrt(7)]))
    assert perturbation("sign", seen).tolist() == [1, -1, 1]
    assert perturbation("unit", MODELS) == pytest.approx(np.array([-1, -1, 1]) / sqrt(3))


def test_where_the_master_cannot_be_asked_the_adaptive_attack_is_min_max() -> None:
    assert Adaptive()(MODELS).tolist() == MinMax()(MODELS).tolist()


def test_min_max_by_sign() -> None:
    """Signs (1, -1, 1), |p|^2 = 3. Pairs: 4 + 9 + 25 = 38, 4 + 9 + 16 = 29, 16 + 36 + 1 = 53, the largest.

    mu - x_i: (0, 0, -3), (-2, -3, 2), (2, 3, 1), squares 9, 17, 14, along p -3, 3, 0. Larger roots
    (-3 + sqrt(9 + 3 * 44)) / 3 = 2.958, (3 + sqrt(9 + 3 * 36)) / 3 = 4.606, sqrt(3 * 39) / 3 = 3.606.
    """
    gamma = (sqrt(141) - 3) / 3
    assert MinMax("sign")(GRADIENTS)[1] == pytest.approx([1 - gamma, -2 + gamma, 1 - gamma])


def test_min_max_across_the_line_between_two() -> None:
    """(4, -2) and (-2, 4), mu = (1, 1) = p: each is 18 from mu, squared, none of it along p, and D^2 = 72.

    So 18 + 2 gamma^2 = 72 for both.
    """
    sent = MinMax("sign")(FullView.of([[4.0, -2.0], [-2.0, 4.0]]))
    assert sent[0] == pytest.approx([1 - sqrt(27)] * 2)


def test_min_max_by_unit_and_deviation() -> None:
    """One coordinate, 1, 2, 6: mu = 3, D = 5, 6 is 3 away: gamma = 2, whatever p's length."""
    seen = FullView.of([[1.0], [2.0], [6.0]])
    assert [MinMax(kind)(seen).tolist() for kind in ("unit", "std", "sign")] == [[[1.0]]] * 3
    turned = FullView.of([[-1.0], [-2.0], [-6.0]])
    assert MinMax("unit")(turned).tolist() == [[-1.0]]
    short = FullView.of([[0.001], [0.002], [0.006]])
    assert MinMax("unit")(short) == pytest.approx(np.array([[0.001]]))


def test_min_max_leaves_the_mean_from_the_master() -> None:
    """Models 1, 2, 6 with the master at 4: the mean is below it, so up: 1 gets 2 + gamma = 5 away, 3 + 3 = 6."""
    assert MinMax()(FullView.of([[1.0], [2.0], [6.0]], neutral=4.0)).tolist() == [[6.0]]


def test_min_sum() -> None:
    """The farthest from mu is sqrt(17), the nearest 3 away; the signs have length sqrt(3)."""
    far, near = sqrt(17 / 3), sqrt(3)
    assert MinSum("sign")(GRADIENTS)[0] == pytest.approx([1 - far, -2 + far, 1 - far])
    assert MinSum("sign", bound="min")(GRADIENTS)[0] == pytest.approx([1 - near, -2 + near, 1 - near])


@pytest.mark.parametrize("size", [1.0, 0.001])
def test_min_sum_by_unit_and_deviation(size: float) -> None:
    """One coordinate, 1, 2, 6: mu = 3, and 6 is 3 away: at 0, whatever p's length and on any scale."""
    seen = FullView.of([[size], [2 * size], [6 * size]])
    for kind in get_args(Perturbation):
        assert MinSum(kind)(seen) / size == pytest.approx(np.array([[0.0]]), abs=1e-9)


@pytest.mark.parametrize("attack", [MinMax(), MinSum(), MinMax("std"), MinSum("std"), MinMax("sign"), MinSum("sign")])
def test_where_there_is_no_direction_the_mean_is_sent(attack: MinMax | MinSum) -> None:
    assert attack(FullView.of([[0.0], [0.0]])).tolist() == [[0.0]]


@pytest.mark.parametrize("attack", [MinMax(), MinSum(), MinMax("std"), MinSum("std"), MinMax("sign"), MinSum("sign")])
def test_where_all_agree_nothing_else_is_sent(attack: MinMax | MinSum) -> None:
    assert attack(FullView.of([[2.0], [2.0]])).tolist() == [[2.0]]


def test_trim_on_gradients() -> None:
    """Mean (1, -2, 1): twice the least -1, twice the largest 1, twice the least -1."""
    assert TrimmedMeanAttack()(GRADIENTS).tolist() == [[-2, 2, -2]] * 2


def test_trim_on_models() -> None:
    """Off the master (-1, -1, 4), (1, 2, -1), (-3, -4, 0), mean (-1, -1, 1): 2 + 2 * 1, -1 + 2 * 2, 0 - 2 * 1."""
    assert TrimmedMeanAttack()(MODELS).tolist() == [[4, 3, -2]] * 2


def test_trim_of_one_sign() -> None:
    """Beyond 1 is 1 / b where all are above 0, beyond -1 is -1 / b where all are below; a null mean stays."""
    seen = FullView.of([[1.0, -1.0, 1.0], [2.0, -2.0, -1.0]])
    assert TrimmedMeanAttack(b=4.0)(seen).tolist() == [[0.25, -0.25, 0.0]]


@pytest.mark.parametrize("size", [1.0, 2.0**-10])
def test_mimic_over_two_rounds(size: float) -> None:
    """Round 1 varies along the first axis: z = (s, 0), s the sign of the first number drawn. Round 2, of the same mean:

    c = s (1, 1) + s (1, 1), made as long as 1: s (1, 1) / sqrt(2); (1, 0) + that halves the angle: 22.5 degrees.
    """
    attack = Mimic(warm_up=2)
    middle = np.array([8.0, -4.0])
    first = FullView.of(middle + size * np.array([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]))
    second = FullView.of(middle + size * np.array([[1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]]))
    side = np.sign(Stream(0, "mimic attack").normals(np.array([0]), 0, 2)[0, 0])
    sent, state = attack.step(attack.init(first.neutral, first.workers), first)
    assert ((sent - middle) / size).tolist() == [[side, 0]]
    sent, state = attack.step(state, second)
    assert ((sent - middle) / size).tolist() == [[side, side]]
    assert state.direction == pytest.approx(side * np.array([cos(pi / 8), sin(pi / 8)]))
    assert (int(state.rounds), int(state.worker)) == (2, 1 if side > 0 else 2)
    third, after = attack.step(state, first)
    assert ((third - middle) / size).tolist() == [[-1 if side > 0 else 0, 0]]  # now fixed to that worker
    assert after is state
    for others in ([1, 2], [2, 1]) if side > 0 else ([0, 2], [2, 0]):  # that worker is gone
        gone = replace(first, honest=first.honest[others], honest_workers=first.honest_workers[others])
        assert ((attack.step(state, gone)[0] - middle) / size).tolist() == [[side, 0]]


def test_mimic_of_workers_that_agree() -> None:
    """They vary in no direction, as RSA's do at first: the first of them, and no division by 0."""
    attack, seen = Mimic(), FullView.of([[1.0, 2.0], [1.0, 2.0]])
    sent, state = attack.step(attack.init(seen.neutral, seen.workers), seen)
    assert (sent.tolist(), state.direction.tolist(), int(state.worker)) == ([[1, 2]], [0, 0], 1)


def test_delayed() -> None:
    """Two rounds late: nothing, nothing, then the first and the second message. Worker 4 is not asked in round 2."""
    attack = Delayed(rounds=2)
    state = attack.init(MODEL, np.array([1, 4]))
    sent = []
    for round, workers in enumerate([[1, 4], [1], [1, 4], [1, 4]]):
        theirs: Rows = np.array([[10.0 * round + worker] * 3 for worker in workers])
        messages, state = attack.step(state, LocalView(theirs, MODEL, np.array(workers), round, 0))
        sent.append(messages[:, 0].tolist())
    assert sent == [[2, 2], [2], [1, 2], [11, 4]]  # 2 is the master's


@either
def test_dropped(seen: FullView) -> None:
    assert Dropped()(seen).tolist() == [seen.neutral.tolist()] * 2


@pytest.mark.parametrize(("dtype", "word"), [(np.float32, np.uint32), (np.float64, np.uint64)])
def test_one_bit_of_every_number_is_flipped(dtype: type, word: type) -> None:
    own: Rows = np.random.default_rng(0).normal(size=(2, 2000)).astype(dtype)
    seen = LocalView(own, own[0], np.array([2, 5]), 3, 0)
    changed = BitFlip("random")(seen).view(word) ^ own.view(word)
    assert (np.bitwise_count(changed) == 1).all()
    assert len(np.unique(changed)) == 8 * np.dtype(dtype).itemsize  # each is drawn at times
    assert not np.array_equal(changed[0], changed[1])
    assert not np.array_equal(changed, BitFlip("random")(replace(seen, round=4)).view(word) ^ own.view(word))
    assert BitFlip()(seen).tolist() == (-own).tolist()


def test_labels() -> None:
    """Of 3 classes 0, 1, 2 become 2, 1, 0; the least likely has the least score."""
    labels = np.array([0, 1, 2, 2])
    assert LabelFlip().relabel(labels, 3, worker=1, seed=0).tolist() == [2, 1, 0, 0]
    assert DynamicLabelFlip().relabel(labels[:2], np.array([[0.5, -3.0, 1.0], [2.0, 1.0, 0.0]])).tolist() == [1, 2]
    many = RandomLabels().relabel(np.zeros(3000, np.int64), 3, worker=2, seed=1)
    assert np.abs(np.bincount(many, minlength=3) - 1000).max() < 150
    for other in ({"worker": 3, "seed": 1}, {"worker": 2, "seed": 2}):
        assert not np.array_equal(many, RandomLabels().relabel(np.zeros(3000, np.int64), 3, **other))


@either
def test_poisoned_workers_send_what_they_compute(seen: FullView) -> None:
    for attack in (LabelFlip(), RandomLabels(), DynamicLabelFlip()):
        assert attack(seen).tolist() == OWN.tolist()
