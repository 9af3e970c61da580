"""`holdfast theory`: compute what the paper's theorems promise for a spec."""

import json
from argparse import ArgumentParser, Namespace

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from threadpoolctl import threadpool_limits

from holdfast.cli.announcements import announce_plan
from holdfast.cli.reporter import Reporter
from holdfast.cli.spec_flags import ABOUT_RSA, add_output, add_spec_flags, read_spec
from holdfast.insight.theorems import find_guarantees
from holdfast.theory import Guarantees


def add_flags(parser: ArgumentParser) -> None:
    add_spec_flags(parser, without=("engine",), defaults=ABOUT_RSA)
    add_output(parser)


def command(arguments: Namespace) -> int:
    reporter = Reporter.of(arguments)
    with reporter.show_work(), threadpool_limits(1, "blas"):
        found = find_guarantees(announce_plan(reporter, read_spec(arguments, ABOUT_RSA)).spec)
    if arguments.json:
        print(json.dumps(found.to_json(), allow_nan=False))
        return 0
    for table in (_tabulate_constants(found), _tabulate_verdicts(found)):
        reporter.print_table(table)
        reporter.say("")
    return 0


def _tabulate_constants(found: Guarantees) -> Table:
    table = Table(title="constants, of the losses as they are trained", title_justify="left", box=None)
    for heading in ("", "least", "median", "largest"):
        table.add_column(heading, justify="left" if not heading else "right")
    curvature = found.curvature
    spread = {
        f"lambda_0 of a worker, l{found.penalty.p:g} (theorem 1)": found.lambda0_per_worker,
        "mu_i, strong convexity (assumption 1)": curvature.mu,
        "L_i, Lipschitz gradients (assumption 2)": curvature.L,
        "delta_i^2, variance of minibatches (assumption 3)": found.disturbance.variances,
    }
    for name, values in spread.items():
        table.add_row(name, *(f"{value:.4g}" for value in _summarise(values)))
    single = {
        "loss at the optimum (eq. correct)": found.optimum_loss,
        "largest gradient entry left there": found.optimum_gradient,
        "mu_0 = L_0 of the regulariser": curvature.mu0,
        "Delta_0": found.disturbance.Delta0,
    }
    if found.convergence and found.averaging:
        steps, slower = found.convergence.steps, found.averaging.steps
        single |= {
            "eta": steps.eta,
            "alpha of theorem 2: at most": steps.low,
            "  and at most, over k + 1": steps.high,
            "Delta_1": found.convergence.Delta1,
            "Delta_2": found.convergence.Delta2,
            "asymptotic gap of theorem 2": found.convergence.gap,
            "alpha of theorem sqrt: at most": slower.low,
            "  and at most, over sqrt(k + 1)": slower.high,
            "asymptotic gap of theorem sqrt": found.averaging.gap,
        }
    for name, value in single.items():
        table.add_row(name, "", "", f"{value:.4g}")
    return table


def _summarise(values: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(values.min()), float(np.median(values)), float(values.max())


def _tabulate_verdicts(found: Guarantees) -> Table:
    table = Table(title="guarantees", title_justify="left", box=None)
    for heading in ("", "needs", "here"):
        table.add_column(heading)
    for name, verdict in found.verdicts().items():
        table.add_row(name, verdict.needs, verdict.why)
    return table
