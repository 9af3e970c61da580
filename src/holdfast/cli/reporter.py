"""What all commands print through: lines, warnings, tables and progress, on a terminal or elsewhere.

Text is printed as it is, however odd a name may be, except for characters that a terminal would obey.
"""

import logging
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from holdfast.runs.observers import RoundsBar, RunsBar

if TYPE_CHECKING:  # what only some commands need is not loaded for the others
    from rich.progress import Progress
    from rich.table import Table

    from holdfast.runs.metrics import Evaluation
    from holdfast.runs.records import Record
    from holdfast.runs.spec import Spec

WIDE = 120
"""The least width where no terminal sets one."""


def printable(text: str) -> str:
    r"""Return a text with all that a terminal would obey, or could not show, as escapes; lines stay lines.

    >>> print(printable("red \x1b[31m\nback\x08"))
    red \x1b[31m
    back\x08
    """
    return "".join(each if each.isprintable() or each == "\n" else _escape(each) for each in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()


def describe(evaluation: "Evaluation") -> str:
    """Return the numbers of an evaluation in one line."""
    from holdfast.runs.metrics import FIELDS

    texts = {name: f"{name} {_number(value)}" for name, value in evaluation.values.items()}
    first = [texts.pop(name) for name in evaluation.measured]
    others = [text for name, text in texts.items() if name not in FIELDS]
    return "  ".join([*first, f"loss {evaluation.loss:.4g}", f"variance {evaluation.variance:.3g}", *others])


def _number(value: float) -> str:
    return f"{value:.4f}" if value == 0 or 0.001 <= abs(value) < 10 else f"{value:.4g}"


class Reporter:
    """Prints lines unchanged, and shows bars on a terminal.

    A quiet reporter prints only how the command ended; if that goes to stdout as JSON, it prints nothing.
    """

    def __init__(self, to_stderr: bool = False, quiet: bool = False) -> None:
        from rich.console import Console

        self.quiet = quiet
        self.console = Console(stderr=to_stderr, markup=False, emoji=False, highlight=False, quiet=quiet and to_stderr)
        self.live = self.console.is_terminal and not quiet
        if not self.console.is_terminal:
            self.console.width = max(self.console.width, WIDE)
        self.steps: Progress | None = None

    @staticmethod
    def of(arguments: Namespace) -> "Reporter":
        """Return the reporter that the flags ask for; it also prints what the library logs."""
        reporter = Reporter(to_stderr=arguments.json, quiet=arguments.quiet)
        attach(reporter)
        return reporter

    def say(self, text: str) -> None:
        """Print a line, however long."""
        self.console.print(printable(text), soft_wrap=True)

    def alarm(self, text: str) -> None:
        """Print a line that must not be missed: red where there are colours."""
        self.console.print(printable(text), style="bold red", soft_wrap=True)

    def inform(self, text: str) -> None:
        """Print a line about work under way, unless quiet."""
        if not self.quiet:
            self.say(text)

    def count(self, text: str) -> None:
        """Print a line about work under way, where no bar shows it."""
        if not self.live:
            self.inform(text)

    def warn(self, text: str) -> None:
        self.say(f"warning: {text}")

    def print_table(self, table: "Table", divide: bool = False) -> None:
        """Print a table; on a narrow terminal turn it, or divide it between columns."""
        from holdfast.cli.narrow_tables import fit, split

        for piece in split(table, self.console) if divide else [table]:
            self.console.print(fit(piece, self.console))

    @contextmanager
    def show_work(self) -> Iterator[None]:
        """Show on a terminal, while entered, the steps that the library logs."""
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), BarColumn(bar_width=20), TimeElapsedColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=self.console, transient=True, disable=not self.live) as progress:
            self.steps = progress
            try:
                yield
            finally:
                self.steps = None

    def show_step(self, text: str, done: int | None = None, of: int | None = None) -> None:
        """Show a step of the work beside its bar, where there is one; `done` of `of` parts move the bar only."""
        if self.steps is None or not self.live:
            if of is None:
                self.inform(text)
            return
        if not self.steps.tasks:
            self.steps.add_task("", total=None)
        (task,) = self.steps.tasks
        if of is None:
            self.steps.reset(task.id, total=None, description=printable(text))
        else:
            self.steps.update(task.id, completed=done, total=of)

    def observe_run(self) -> "RunReport":
        """Return the observer of one run."""
        return RunReport(self)

    def runs_bar(self, jobs: int | None) -> RunsBar:
        """Return a bar over many runs, `jobs` at once."""
        return RunsBar(jobs, self.console, disable=not self.live)

    @contextmanager
    def observe_runs(
        self, specs: "Sequence[Spec]", jobs: int | None, name: "Callable[[Spec], str]"
    ) -> "Iterator[Callable[[Record, bool], None]]":
        """Give a callback for each finished run, new or found: a bar on a terminal, a line per new run elsewhere."""
        since, finished, played = monotonic(), 0, 0
        with self.runs_bar(jobs) as bar:
            bar.start([*map(name, specs)])

            def finish(record: "Record", new: bool) -> None:
                nonlocal finished, played
                finished, played = finished + 1, played + new
                bar.count(name(record.spec))
                if new:
                    left = (monotonic() - since) / played * (len(specs) - finished)
                    reached = record.failed or f"{record.score.name} {record.score.text(record.reached)}"
                    self.count(f"{finished}/{len(specs)}  {name(record.spec)}  {reached}  {left:.0f} s left")

            yield finish

    def worst_cases(self, specs: "Sequence[Spec]") -> "WorstCases":
        """Return a table that fills while these runs end."""
        return WorstCases(self, specs)


class RunReport(RoundsBar):
    """Observes one run: a bar on a terminal, a line per evaluation elsewhere."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter.console, disable=not reporter.live)
        self.reporter = reporter

    def show(self, evaluation: "Evaluation") -> None:
        super().show(evaluation)
        speed = self.measure_speed(evaluation.round)
        progress = f"{speed:.0f} rounds/s  {(self.rounds - evaluation.round) / speed:.0f} s left"
        self.reporter.count(f"round {evaluation.round}/{self.rounds}  {describe(evaluation)}  {progress}")

    def warn(self, text: str) -> None:
        self.reporter.warn(text)


class WorstCases:
    """One row per method with its worst case so far; shown on a terminal while entered, and nowhere else."""

    def __init__(self, reporter: Reporter, specs: "Sequence[Spec]") -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        self.reporter, self.runs, self.since = reporter, len(specs), monotonic()
        self.accuracies: dict[str, dict[str, float]] = {spec.method_name: {} for spec in specs}
        self.spinner = Spinner("dots")
        self.live = Live(get_renderable=self.table, console=reporter.console, transient=True, refresh_per_second=8)

    def __enter__(self) -> Self:
        if self.reporter.live:
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.reporter.live:
            self.live.stop()

    def count(self, spec: "Spec", accuracy: float) -> None:
        """Count a finished run."""
        self.accuracies[spec.method_name][spec.attack_text] = accuracy

    def table(self) -> "Table":
        """Return the table as it is now."""
        from rich import box
        from rich.table import Table

        done = sum(map(len, self.accuracies.values()))
        progress = f"{done} of {self.runs} runs, {monotonic() - self.since:.0f} s"
        table = Table(box=box.SIMPLE_HEAD, caption=progress if done else "preparing", caption_justify="left")
        for column, name in enumerate(("method", "runs", "worst case so far", "under")):
            table.add_column(name, justify="right" if column in (1, 2) else "left")
        for method, accuracies in self.accuracies.items():
            worst = min(accuracies, key=accuracies.__getitem__, default=None)
            cells = (self.spinner, "") if worst is None else (f"{accuracies[worst]:.3f}", worst)
            table.add_row(method, str(len(accuracies)), *cells)
        return table


class _LogHandler(logging.Handler):
    """Prints through a reporter what the library logs: steps, their progress, and warnings."""

    reporter: Reporter

    def emit(self, record: logging.LogRecord) -> None:
        extra = vars(record)
        if record.levelno >= logging.WARNING:
            self.reporter.warn(record.getMessage())
        elif record.levelno >= logging.INFO or "of" in extra:
            self.reporter.show_step(record.getMessage(), extra.get("done"), extra.get("of"))


_LOGGER, _HANDLER = logging.getLogger("holdfast"), _LogHandler()


def attach(reporter: Reporter) -> None:
    """Let this reporter, and no earlier one, print what the library logs."""
    _HANDLER.reporter = reporter
    level = logging.DEBUG if reporter.live else logging.INFO
    _HANDLER.setLevel(level)
    _LOGGER.setLevel(level)
    _LOGGER.addHandler(_HANDLER)


def detach() -> None:
    """Let no reporter print what the library logs any more."""
    _LOGGER.removeHandler(_HANDLER)
