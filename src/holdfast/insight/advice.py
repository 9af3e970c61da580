"""Advice for one spec: which norm, which lambda and alpha, and what is promised."""

import logging
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from holdfast.insight import advice_sentences as sentences
from holdfast.insight.heterogeneity import Heterogeneity
from holdfast.insight.norm_choice import Norm, choose_norm, push
from holdfast.insight.theorems import find_guarantees
from holdfast.methods import AUTO, Rsa
from holdfast.problems import solvable
from holdfast.runs.auto import resolve_auto
from holdfast.runs.plan import fill_defaults
from holdfast.runs.spec import Spec
from holdfast.runs.spec_parts import data_text, require_number
from holdfast.runs.workbench import SHARED
from holdfast.theory import NORMS, Guarantees, lambda0, variance
from holdfast.typing import Json

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Advice:
    """How workers differ, what to set, what is promised and what is not."""

    spec: Spec
    """What was asked about, with the values that are recommended."""
    honest: tuple[int, ...]
    heterogeneity: Heterogeneity
    norms: tuple[Norm, ...]
    chosen: Norm
    why_norm: str
    guarantees: Guarantees

    @property
    def reasons(self) -> dict[str, str]:
        """Why each value is recommended."""
        return {
            "norm": self.why_norm,
            "penalty": sentences.why_penalty(self.chosen),
            "rate": sentences.why_rate(self.spec.schedule, self.spec.rounds),
        }

    def gaps(self) -> dict[int, float]:
        """Return Theorem 2's gap for each q below m / 2, with the honest workers' constants as they are; {} if none.

        It bounds the squared distance of all models from the solution of eq. tv-p, with the theorem's step size.
        """
        found = self.guarantees.convergence
        if found is None:
            return {}
        minority = range((self.spec.workers + 1) // 2)
        return {q: replace(found, disturbance=replace(found.disturbance, byzantine=q)).gap for q in minority}

    def explain(self) -> dict[str, str]:
        """Return everything that is said in sentences, by topic."""
        q, m = self.spec.q, self.spec.workers
        return {
            "workers": sentences.describe_workers(self.heterogeneity),
            "byzantine": sentences.minority(q, m).why,
            "gap": self.explain_gap(),
            "limit": sentences.limit(self.heterogeneity, q, m),
            "plain averaging": sentences.averaging(self.heterogeneity, q).why,
        }

    def explain_gap(self) -> str:
        q, found = self.spec.q, self.gaps()
        if not found:
            return sentences.no_gap(self.guarantees)
        if q not in found:
            return "no guarantee: half of the workers or more are Byzantine"
        start = self.guarantees.start
        worth = "less" if found[q] < start else "no less, so it says nothing new"
        return (
            f"Theorem 2 with its own step size (--schedule theorem2): at most {found[q]:.3g} = q^2 * "
            f"{found.get(1, 0.0):.3g} in the end, {worth} than {start:.3g} at the start"
        )

    def to_json(self) -> Json:
        """Return what `holdfast advise --json` prints."""
        spec, found, q, m = self.spec, self.heterogeneity, self.spec.q, self.spec.workers
        gaps = self.gaps()
        return {
            "data": data_text(spec.data),
            "partition": spec.partition_text,
            "workers": m,
            "byzantine": q,
            "honest": list(self.honest),
            "heterogeneity": {
                "zeta2": found.zeta2,
                "relative": found.relative,
                "at_start": found.at_start,
                "excess": found.excess,
                "degree": sentences.degree(found),
                "per_worker": found.per_worker.tolist(),
            },
            "norms": {
                _label(norm.p): {
                    "lambda0": norm.lambda0,
                    "lambda0_median": float(np.median(norm.asked)),
                    "lambda0_per_worker": norm.asked.tolist(),
                    "penalty": norm.penalty,
                    "rate": norm.rate,
                    "push": norm.push,
                    "agreeing": norm.agreeing,
                }
                for norm in self.norms
            },
            "recommended": {
                "norm": spec.to_json()["method"]["norm"],
                "penalty": self.chosen.penalty,
                "rate": spec.rate,
                "why": self.reasons,
            },
            "optimum_gradient": self.guarantees.optimum_gradient,
            "gap": {"q": list(gaps), "gap": list(gaps.values())} if gaps else None,
            "guarantees": {name: verdict._asdict() for name, verdict in self.guarantees.verdicts().items()},
            "minority": sentences.minority(q, m)._asdict(),
            "averaging": sentences.averaging(found, q)._asdict(),
            "told": self.explain(),
        }


def _label(p: float) -> str:
    return f"l{p:g}"


def advise(spec: Spec) -> Advice:
    """Return advice on RSA for a spec; its Byzantine workers attack, whatever `attack` says.

    Its method and rate do not matter: they are what the advice is about.

    >>> advice = advise(Spec(data="digits", workers=10, byzantine=2))
    >>> advice.spec.method.norm, len(advice.honest), advice.gaps()
    (2.0, 8, {})
    """
    bases = {p: fill_defaults(replace(spec, method=Rsa(norm=p, penalty=AUTO), rate=AUTO)) for p in NORMS.values()}
    logger.info("loading the data and dealing them to %d workers", spec.workers)
    problem = solvable(SHARED.build(bases[1.0]).problem, "advise")
    logger.info("surveying the workers for the norms %s", ", ".join(map(_label, bases)))
    rules = {p: resolve_auto(base) for p, base in bases.items()}
    weights = {p: require_number(cast(Rsa, rule.method).penalty) for p, rule in rules.items()}
    pushes = {p: push(p, weight, problem.dimension) for p, weight in weights.items()}
    best, why = choose_norm(pushes)
    chosen = rules[best]
    honest = tuple(np.setdiff1d(problem.workers, chosen.byzantine_workers).tolist())
    promised = find_guarantees(chosen)
    at_optimum, at_start = (
        problem.local_gradients(model, honest).astype(np.float64) for model in (promised.optimum, problem.start())
    )
    logger.info("measuring how the workers differ")
    one, sizes = replace(problem, batch=1), np.diff(problem.shards.starts)[np.array(honest) - 1]
    heterogeneity = Heterogeneity.of(
        at_optimum / problem.weight,
        at_start / problem.weight,
        variance(one, problem.start(), honest) / problem.weight**2,
        sizes.astype(np.float64),
    )
    norms = {
        p: Norm(p, weights[p], require_number(rule.rate), pushes[p], lambda0(at_optimum, p))
        for p, rule in rules.items()
    }
    return Advice(
        spec=chosen,
        honest=honest,
        heterogeneity=heterogeneity,
        norms=tuple(norms.values()),
        chosen=norms[best],
        why_norm=why,
        guarantees=promised,
    )
