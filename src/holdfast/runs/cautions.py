"""Warnings of a run: an option is likely not meant, or little was learned.

Each caution is one sentence. Observers receive cautions; results, run folders and pages hold them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from holdfast.problems import Classifying, declared_score, find_classes
from holdfast.runs.experiment import Experiment
from holdfast.runs.metrics import Evaluation
from holdfast.runs.spec import Spec
from holdfast.runs.verdicts import is_guessing

HARDLY = 0.05
"""The share of its first value by which a loss must have fallen, else it has hardly moved."""
LEAST_ROUNDS = 50
"""A shorter run is not expected to move the loss."""
SHOWN = 10
"""How many members of a list a sentence names."""
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?|\b(nan|inf)\b")


def caution_before(spec: Spec, experiment: Experiment) -> list[str]:
    """Return what is likely not meant by a resolved spec, on these data."""
    return [*_of_attack(spec), *_of_data(spec, experiment)]


def _of_attack(spec: Spec) -> Iterator[str]:
    if spec.method.local_steps > 1:
        yield f"the paper's theorems are about 1 local step a round; got {spec.method.local_steps}"
    attack, q, m = spec.attack, spec.q, spec.workers
    if attack is None:
        if q and spec.method.attacked:
            some = f"{q} workers are" if q > 1 else "1 worker is"
            yield f"{some} called Byzantine, but no attack is given, so that all are honest: add --attack sign-flip"
        return
    if 2 * q >= m:
        yield f"{q} of {m} workers are Byzantine: from half on no method can promise anything"
    if (unlike := attack.caution()) is not None:
        yield unlike


def _of_data(spec: Spec, experiment: Experiment) -> Iterator[str]:
    problem = experiment.problem
    if not isinstance(problem, Classifying):
        return
    yield from _of_batch(spec.batch, np.diff(problem.shards.starts))
    if (found := find_classes(problem)) is None:
        return
    _, test = found
    unseen = np.setdiff1d(test.targets, problem.shards.targets)
    if len(unseen):
        labels = None if experiment.dataset is None else experiment.dataset.number_classes().labels
        names = join_names(labels[each] if labels else each for each in unseen.tolist())
        share = float(np.isin(test.targets, unseen).mean())
        yield f"no training sample has the class {names} of the test set, {share:.0%} of which cannot be got right"


def _of_batch(batch: int, counts: NDArray[np.int64]) -> Iterator[str]:
    """Yield a sentence about workers that hold fewer samples than a minibatch; advice only where all of them do."""
    small, most, at = int((counts < batch).sum()), int(counts.max()), int(counts.argmin())
    if small == len(counts):
        yield f"minibatches of {batch} repeat samples, since no worker holds more than {most}: --batch {most} is faster"
    elif small:
        yield (
            f"{small} of {len(counts)} workers fill minibatches of {batch} by repeating samples; "
            f"worker {at + 1} holds the fewest, {counts[at]}"
        )


def caution_after(experiment: Experiment, last: Evaluation, guessing: float | None) -> list[str]:
    """Return what is wrong with how the loss ended, beside the loss of the first model, the score and guessing."""
    if last.round < LEAST_ROUNDS:
        return []
    problem = experiment.problem
    start = problem.start()
    first = problem.objective(start, experiment.engine.honest) + experiment.program.prior.value(start)
    score = declared_score(problem)
    value = score.of(last)
    moved = f"from {first:.4g} to {last.loss:.4g}"
    if last.loss > first:
        if value is None or guessing is None:
            return [f"the loss has risen {moved}: nothing was learned"]
        if is_guessing(score, value, guessing):
            return [f"the loss has risen {moved}: the model is no better than guessing"]
        return [
            f"the loss has risen {moved}, while {score.called} {score.text(value)} is better than guessing: trust no "
            "probabilities of this model"
        ]
    if first - last.loss < HARDLY * first:
        return [f"the loss has hardly moved, {moved}: more --rounds, or lambda and alpha that fit (holdfast tune)"]
    return []


def count_kinds(warnings: Iterable[str]) -> dict[str, int]:
    """Return the first warning of each kind and how many there are; those that differ in numbers only are one kind.

    >>> count_kinds(["the loss has risen from 2.3 to 9", "the loss has risen from 2.3 to 1e+04", "no class 3"])
    {'the loss has risen from 2.3 to 9': 2, 'no class 3': 1}
    """
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in warnings:
        counts[first.setdefault(NUMBER.sub("#", text), text)] += 1
    return dict(counts)


def join_names(members: Iterable[object]) -> str:
    """Return a list in words, long ones cut short.

    >>> join_names([7]), join_names(range(14))
    ('7', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 4 more')
    """
    words = [str(each) for each in members]
    more = len(words) - SHOWN
    return ", ".join(words[:SHOWN]) + (f" and {more} more" if more > 0 else "")
