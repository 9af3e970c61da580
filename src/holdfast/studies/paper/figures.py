"""The paper's figures, and yardsticks from others, as data: what each shows, and the spec behind every curve.

`presets/NAME.toml` describes one figure. Its keys are those of `Figure`; `[common]` holds what all its panels
share, a panel adds keys of its own, each of its curves the rest: fields of a spec, as on a command line. A rate of
"searched" is looked up in the record of the search, `presets/rates.toml`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from holdfast.errors import unknown
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.studies.paper.rates import Rates

NAMES = ("no-attack", "same-value", "sign-flipping", "gaussian", "runtime", "lambda", "norms", "heterogeneous")
"""The presets, in the paper's order."""
YARDSTICKS = ("label-poisoning", "duplication")
"""Presets of what other papers claim."""
RSA_PAPER = (
    "Li, Xu, Chen, Giannakis, Ling: RSA: Byzantine-Robust Stochastic Aggregation Methods for Distributed Learning "
    "from Heterogeneous Datasets, AAAI 2019."
)

SEARCHED = "searched"


@dataclass(frozen=True)
class Curve:
    """One line of a chart, or one bar, or one point of a line."""

    label: str
    spec: Spec
    """Resolved, with seed 0, which a run replaces; without a rate if the rate is still to be searched."""
    searched: bool = False
    """Whether the step size comes from our search; else it is the paper's."""


@dataclass(frozen=True)
class Panel:
    """One picture of a figure."""

    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Figure:
    """One experiment of a paper."""

    name: str
    title: str
    place: str
    """Section and figure of the paper."""
    says: str
    """What the paper reports, in our words."""
    chart: str
    """How it is drawn: accuracy, runtime, lambda or norms."""
    panels: tuple[Panel, ...]
    short: bool = False
    """Whether it has fewer rounds than the preset's."""
    source: str = RSA_PAPER
    """Whose claims it tests."""

    @property
    def timed(self) -> bool:
        """Whether it shows seconds: its runs are played one at a time."""
        return self.chart == "runtime"

    def curves(self) -> Iterator[Curve]:
        """Yield the curves of all panels."""
        for panel in self.panels:
            yield from panel.curves

    def quick(self) -> "Figure":
        """Return the figure with a fifth of the rounds: its shape, not its numbers."""

        def shorten(curve: Curve) -> Curve:
            rounds, eval_every = max(curve.spec.rounds // 5, 1), max(curve.spec.eval_every // 2, 1)
            return replace(curve, spec=replace(curve.spec, rounds=rounds, eval_every=eval_every))

        panels = (replace(panel, curves=tuple(map(shorten, panel.curves))) for panel in self.panels)
        return replace(self, panels=tuple(panels), short=True)


def figure(name: str, rates: Rates | None, **changes: Any) -> Figure:
    """Return a figure with every spec valid; `changes` (data, rounds, ...) hold in all of them.

    Without rates, as for a search, the specs whose rate is searched have none.

    >>> from holdfast.studies.paper.rates import load_rates
    >>> gaussian = figure("gaussian", load_rates())
    >>> [panel.title for panel in gaussian.panels], gaussian.panels[0].curves[1].spec.rate
    (['q = 4', 'q = 8'], 0.002)
    """
    if name not in (*NAMES, *YARDSTICKS):
        raise unknown("figure", name, (*NAMES, *YARDSTICKS))
    text = files("holdfast.studies.paper").joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    common = table.pop("common")
    panels = tuple(_panel({**common, **panel}, rates, changes) for panel in table.pop("panels"))
    return Figure(name=name, panels=panels, **table)


def _panel(shared: dict[str, Any], rates: Rates | None, changes: Mapping[str, Any]) -> Panel:
    title, curves = shared.pop("title"), shared.pop("curves")
    return Panel(title, tuple(_curve({**shared, **curve}, rates, changes) for curve in curves))


def _curve(keys: dict[str, Any], rates: Rates | None, changes: Mapping[str, Any]) -> Curve:
    label, searched = keys.pop("label"), keys.get("rate") == SEARCHED
    if searched:
        del keys["rate"]
    spec = Spec.of(keys)
    if searched and rates is not None:
        spec = replace(spec, rate=rates.of(spec))
    spec = replace(spec, **changes)
    return Curve(label, spec if searched and rates is None else fill_defaults(spec), searched)
