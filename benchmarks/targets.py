"""What was to be reached, and what was."""

from dataclasses import dataclass

from benchmarks.contestants import PEERS
from benchmarks.record import Measured
from benchmarks.sections.rules import best, place
from benchmarks.tables import Table, number

M, D = 20, 1_000_000


@dataclass(frozen=True)
class Target:
    """A number that should be at most or at least a bound."""

    what: str
    bound: float
    found: float | None
    at_least: bool = False
    unit: str = ""

    @property
    def met(self) -> bool | None:
        if self.found is None:
            return None
        return self.found >= self.bound if self.at_least else self.found <= self.bound

    def cells(self) -> list[str]:
        wanted = f"{'>=' if self.at_least else '<='} {self.bound:g}{self.unit}"
        verdict = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        return [self.what, wanted, number(self.found, self.unit), verdict]


def targets(measured: Measured) -> list[Target]:
    """Return every target of the project with what was measured."""

    def ours(rule: str) -> str:
        return f"{place(M, D, rule)}/ours"

    def floors(rule: str, bound: float) -> Target:
        return Target(f"{rule}: times the floor", bound, measured.ratio(ours(rule), f"{place(M, D, rule)}/floor"))

    def faster(rule: str, bound: float, who: str, *libraries: str) -> Target:
        other = best(measured, place(M, D, rule), *libraries)
        return Target(f"{rule}: times faster than {who}", bound, measured.ratio(other, ours(rule)), at_least=True)

    rsa, ideal = "iterations/attacked/rsa", "iterations/attacked/ideal-sgd"
    threaded = best(measured, "threads", "ByzFL")
    return [
        floors("mean", 1.5),
        Target("mean: times NumPy's w @ V", 1.2, measured.ratio(ours("mean"), f"{place(M, D, 'mean')}/NumPy: w @ V")),
        floors("sum of signs", 2.2),
        faster("sum of signs", 6, "NumPy", "NumPy"),
        floors("median", 2.2),
        faster("median", 50, "ByzFL", "ByzFL"),
        floors("trimmed mean", 2.5),
        faster("trimmed mean", 10, "ByzFL", "ByzFL"),
        floors("Krum", 5),
        faster("Krum", 5, "the best peer", *PEERS),
        floors("geometric median", 7),
        faster("geometric median", 10, "classic Weiszfeld in NumPy", "NumPy"),
        Target(
            "counting bits: times faster than the float sum of signs",
            20,
            measured.ratio(ours("sum of signs"), ours("counting bits")),
            at_least=True,
        ),
        Target(
            "the same, the bits still in the cache",
            20,
            measured.ratio(ours("sum of signs"), f"{place(M, D, 'counting bits')}/again and again"),
            at_least=True,
        ),
        Target(
            "median of 100, two threads: times the floor on two threads",
            8,
            measured.ratio("threads/ours", "threads/floor, two threads"),
        ),
        Target(
            "median of 100, two threads: times faster than ByzFL",
            20,
            measured.ratio(threaded, "threads/ours"),
            at_least=True,
        ),
        Target("l1-RSA iteration: times its floating-point floor", 2.5, measured.ratio(rsa, "iterations/floor")),
        Target(
            "l1-RSA iteration: times faster than batched NumPy",
            6,
            measured.ratio("iterations/attacked/NumPy", rsa),
            at_least=True,
        ),
        Target("l1-RSA iteration: times our Ideal SGD's", 1.15, measured.ratio(rsa, ideal)),
        Target(
            "l1-RSA iteration, nobody lies: times our Ideal SGD's",
            1.15,
            measured.ratio("iterations/alone/rsa", "iterations/alone/ideal-sgd"),
        ),
        Target("5000 rounds from the command line", 6, measured.typical("starting/5000 rounds"), unit=" s"),
        Target("compiling for a cold demo", 30, measured.typical("starting/cold, together"), unit=" s"),
        Target("first use of cached kernels", 1, measured.typical("starting/cached, together"), unit=" s"),
    ]


def table(measured: Measured) -> Table:
    return Table(
        f"Targets (one thread, m = {M}, d = {D:,} unless it says otherwise)",
        ["target", "wanted", "measured", ""],
        [target.cells() for target in targets(measured)],
    )
