"""The laws of attacks: read-only views in, one row per Byzantine worker out."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from holdfast.attacks import Attack, ColludingAttack, FullView, LocalAttack, LocalView
from holdfast.testing.inputs import DTYPES, normal_rows
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, NotTried, require, require_same
from holdfast.testing.outcomes import Report

LAWS = Laws("attack")


def check_attack(
    attack: Attack, *, raise_on_failure: bool = True, examples: int = EXAMPLES, seconds: float = SECONDS
) -> Report:
    """Test a `LocalAttack` or a `ColludingAttack` against the laws of attacks.

    >>> from holdfast.attacks import SignFlip
    >>> check_attack(SignFlip(), examples=10).holds
    True
    """
    return LAWS.check(attack, raise_on_failure, examples, seconds)


@st.composite
def _full_view(draw: st.DrawFn) -> FullView:
    """Draw a round in which some workers are Byzantine and some honest workers are absent."""
    n, d, dtype, seed = draw(st.integers(2, 7)), draw(st.integers(1, 4)), draw(DTYPES), draw(st.integers(0, 2**20))
    order = np.array(draw(st.permutations(range(n, 0, -1))))  # the last ones are Byzantine where nothing else breaks
    q = draw(st.integers(1, n - 1))
    present = draw(st.integers(1, n - q))
    byzantine, absent, honest = (np.sort(part) for part in np.split(order, [q, n - present]))
    rows = normal_rows(n + 1, d, seed).astype(dtype)
    neutral = rows[0] if draw(st.booleans()) else np.zeros(d, dtype)
    return FullView(
        own=rows[byzantine],
        neutral=neutral,
        workers=byzantine,
        round=draw(st.integers(0, 1000)),
        seed=draw(st.integers(0, 3)),
        honest=rows[honest],
        honest_workers=honest,
        absent=absent,
    )


def _views(attack: object) -> st.SearchStrategy[LocalView]:
    """Return views as an attack of this base class sees them."""
    return _full_view().map(_local) if isinstance(attack, LocalAttack) else _full_view()


def _local(view: LocalView) -> LocalView:
    return LocalView(view.own, view.neutral, view.workers, view.round, view.seed)


def _send(attack: Any, view: LocalView) -> Any:
    """Return what the attack sends; its view is read-only, as in engines."""
    if isinstance(view, FullView):
        attack.check(np.union1d(view.honest_workers, view.absent))
    shown: dict[str, Any] = {}
    for name, value in vars(view).items():
        if isinstance(value, np.ndarray):
            shown[name] = value.copy()
            shown[name].flags.writeable = False
    return attack(replace(view, **shown))


@LAWS.law()
def says_what_it_sees(attack: object) -> None:
    """It derives from LocalAttack or from ColludingAttack: the base class is the threat model."""
    bases = [base.__name__ for base in (LocalAttack, ColludingAttack) if isinstance(attack, base)]
    require(len(bases) == 1, f"it derives from {' and '.join(bases) or 'neither'}")


@LAWS.law(view=_views)
def sends_one_row_each(attack: Attack, view: LocalView) -> None:
    """Every Byzantine worker sends one row of the shape and type of an honest message."""
    sent = _send(attack, view)
    require(isinstance(sent, np.ndarray), f"it sends a {type(sent).__name__}, not an array")
    require(sent.shape == view.own.shape, f"it sends rows of shape {sent.shape}, not {view.own.shape}")
    require(sent.dtype == view.own.dtype, f"it sends {sent.dtype}, not {view.own.dtype}")


@LAWS.law(view=_views)
def leaves_its_input(attack: Attack, view: LocalView) -> None:
    """What it is shown is read-only, and it does not write to it."""
    _send(attack, view)


@LAWS.law(view=_views, other=_views)
def is_addressed(attack: Attack, view: LocalView, other: LocalView) -> None:
    """What it sends depends on the view alone: seed, workers and round, not on earlier calls or another generator."""
    first = np.array(_send(attack, view))
    _send(attack, other)
    require_same(_send(attack, view), first, "the second answer")


@LAWS.law(view=_views)
def says_whether_it_uses_own(attack: Attack, view: LocalView) -> None:
    """With `uses_own = False` its workers' own messages change nothing."""
    if attack.uses_own:
        raise NotTried("uses_own is True: it may")
    blank = replace(view, own=np.full_like(view.own, np.nan))
    require_same(_send(attack, blank), _send(attack, view), "without own messages what it sends")


@LAWS.law(LocalAttack, view=_views)
def acts_alone(attack: Attack, view: LocalView) -> None:
    """A worker sends the same whether it is alone or among others: its row depends on its own row and number."""
    together = _send(attack, view)
    for row, worker in enumerate(view.workers):
        alone = _send(attack, replace(view, own=view.own[[row]], workers=view.workers[[row]]))
        require_same(alone[0], together[row], f"alone, what worker {worker} sends")
