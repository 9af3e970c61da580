"""All advice for one spec."""

from dataclasses import dataclass, replace
from math import isinf
from typing import Any

import numpy as np

from holdfast.advice import sentences
from holdfast.advice.heterogeneity import Heterogeneity
from holdfast.advice.norms import NORMS, Norm, preferred, push
from holdfast.experiments.assembly import learnt
from holdfast.experiments.automatic import settled
from holdfast.experiments.defaults import resolved
from holdfast.experiments.spec import AUTO, Spec, number
from holdfast.methods.penalties import penalty
from holdfast.methods.priors import Ridge
from holdfast.theory import Guarantees, lambda0, variance


@dataclass(frozen=True, eq=False)
class Advice:
    """How workers differ, what to set, what is promised and what is not."""

    spec: Spec
    """What was asked about, with the values that are recommended."""
    regular: tuple[int, ...]
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
        """Return Theorem 2's gap for each q below m / 2, the regular workers' constants as they are; {} if it has none.

        It bounds the squared distance of all models from the solution of eq. tv-p, with the theorem's step size.
        """
        found = self.guarantees.convergence
        if found is None:
            return {}
        minority = range((self.spec.workers + 1) // 2)
        return {q: replace(found, disturbance=replace(found.disturbance, byzantine=q)).gap for q in minority}

    def told(self) -> dict[str, str]:
        """Return everything that is said in sentences, by what it is about."""
        q, m = self.spec.byzantine, self.spec.workers
        return {
            "workers": sentences.differing(self.heterogeneity),
            "liars": sentences.minority(q, m).why,
            "gap": self.gap_told(),
            "limit": sentences.limit(self.heterogeneity, q, m),
            "plain averaging": sentences.averaging(self.heterogeneity, q).why,
        }

    def gap_told(self) -> str:
        q, found = self.spec.byzantine, self.gaps()
        if not found:
            return sentences.no_gap(self.guarantees)
        if q not in found:
            return "no guarantee: half of the workers or more lie"
        start = self.guarantees.start
        worth = "less" if found[q] < start else "no less, so it says nothing new"
        return (
            f"Theorem 2 with its own step size (--schedule theorem2): at most {found[q]:.3g} = q^2 * "
            f"{found.get(1, 0.0):.3g} in the end, {worth} than {start:.3g} at the start"
        )

    def to_json(self) -> dict[str, Any]:
        """Return what `holdfast advise --json` prints."""
        spec, found, q, m = self.spec, self.heterogeneity, self.spec.byzantine, self.spec.workers
        gaps = self.gaps()
        return {
            "data": spec.data,
            "partition": spec.partition,
            "workers": m,
            "byzantine": q,
            "regular": list(self.regular),
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
                "norm": "inf" if isinf(spec.norm) else spec.norm,
                "penalty": spec.penalty,
                "rate": spec.rate,
                "why": self.reasons,
            },
            "optimum_gradient": self.guarantees.optimum_gradient,
            "gap": {"q": list(gaps), "gap": list(gaps.values())} if gaps else None,
            "guarantees": {name: verdict._asdict() for name, verdict in self.guarantees.verdicts().items()},
            "minority": sentences.minority(q, m)._asdict(),
            "averaging": sentences.averaging(found, q)._asdict(),
            "told": self.told(),
        }


def _label(p: float) -> str:
    return f"l{p:g}"


def advise(spec: Spec) -> Advice:
    """Return advice on RSA for a spec; its Byzantine workers lie, whatever `attack` says.

    Its norm, penalty and rate are what is looked for, and do not matter.

    >>> advice = advise(Spec(data="digits", workers=10, byzantine=2))
    >>> advice.spec.norm, len(advice.regular), advice.gaps()
    (2.0, 8, {})
    """
    base = replace(spec, method="rsa", reply="current", penalty=AUTO, rate=AUTO)
    rules = {p: settled(resolved(replace(base, norm=p))) for p in NORMS}
    _, problem = learnt(rules[1.0])
    pushes = {p: push(p, number(rule.penalty), problem.dimension) for p, rule in rules.items()}
    best, why = preferred(pushes)
    chosen = rules[best]
    regular = tuple(int(worker) for worker in np.setdiff1d(problem.shards.workers, chosen.liars or ()))
    pull = penalty(best, number(chosen.penalty))
    guarantees = Guarantees.of(problem, Ridge(chosen.l2), pull, regular, chosen.byzantine)
    slopes, start = (
        problem.local_gradients(model, regular).astype(np.float64) for model in (guarantees.optimum, problem.start())
    )
    one, sizes = replace(problem, batch=1), np.diff(problem.shards.starts)[np.array(regular) - 1]
    heterogeneity = Heterogeneity.of(
        slopes / problem.weight,
        start / problem.weight,
        variance(one, problem.start(), regular) / problem.weight**2,
        sizes.astype(np.float64),
    )
    norms = {
        p: Norm(p, number(rule.penalty), number(rule.rate), pushes[p], lambda0(slopes, p)) for p, rule in rules.items()
    }
    return Advice(
        spec=chosen,
        regular=regular,
        heterogeneity=heterogeneity,
        norms=tuple(norms.values()),
        chosen=norms[best],
        why_norm=why,
        guarantees=guarantees,
    )
