"""The laws of methods: a program whose workers go by rows and whose master is pure."""

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from holdfast.data import Iid
from holdfast.methods import InverseSqrt, Method, Ridge, Setting, make_method, method_text
from holdfast.problems import Softmax
from holdfast.states import arrays_of
from holdfast.testing.inputs import SEEDS, for_every_part
from holdfast.testing.laws import EXAMPLES, SECONDS, Laws, require, require_same
from holdfast.testing.outcomes import Report
from holdfast.testing.problem_laws import few_samples
from holdfast.testing.rule_laws import DECLARED
from holdfast.typing import Array, Messages, Request, Rows, Sides, Vector

LAWS = Laws("method")
TYPES = for_every_part(st.sampled_from(["float32", "float64"]))
SETTING = Setting(InverseSqrt(0.1), Ridge(0.01), DECLARED)
SEED = 3
WORKERS = np.arange(1, 4 * DECLARED + 4)
"""As many as the most demanding rule of the field needs."""


def check_method(
    method: Any, *, raise_on_failure: bool = True, examples: int = EXAMPLES // 2, seconds: float = SECONDS
) -> Report:
    """Test a method against the laws of methods: an object, a rule, or a text such as `nnm+median`.

    A penalty of `auto` is 1 here.

    >>> check_method("rsa:norm=2", examples=10).holds
    True
    """
    made = make_method(method).with_penalty(1.0)
    return LAWS.check(made, raise_on_failure, examples, seconds, method_text(made))


@cache
def _problem(dtype: str) -> Softmax:
    return Softmax.of(few_samples(), Iid(), len(WORKERS), 4, dtype=dtype, seed=3)


def _models(dtype: str, seed: int) -> tuple[Vector, Rows]:
    """Return a model of the master, and one of each worker."""
    rows = np.random.default_rng(seed).normal(size=(len(WORKERS) + 1, _problem(dtype).dimension)).astype(dtype)
    return rows[0], rows[1:]


@LAWS.law(dtype=TYPES, seed=SEEDS)
def workers_go_by_rows(method: Method, dtype: str, seed: int) -> None:
    """Workers that step together send and become what each does alone, bit for bit, for three rounds (row law)."""
    rule, problem = method.program(SETTING).worker, _problem(dtype)
    model, models = _models(dtype, seed)
    together, alone = rule.init(models), [rule.init(models[[row]]) for row in range(len(WORKERS))]
    for round in range(3):
        sent, together = rule.step(together, Request(model, WORKERS, round, SEED), problem.oracle(WORKERS))
        require(sent.shape == models.shape, f"the messages have shape {sent.shape}, not {models.shape}")
        require(sent.dtype == models.dtype, f"the messages are {sent.dtype}, not {models.dtype}")
        for row, worker in enumerate(WORKERS):
            request = Request(model, WORKERS[[row]], round, SEED)
            message, alone[row] = rule.step(alone[row], request, problem.oracle(WORKERS[[row]]))
            require_same(message[0], sent[row], f"alone, what worker {worker} sends in round {round}")
            for name, array in arrays_of(alone[row]).items():
                require_same(array[0], arrays_of(together)[name][row], f"alone, the {name} of worker {worker}")


@LAWS.law(dtype=TYPES, seed=SEEDS)
def workers_leave_their_state(method: Method, dtype: str, seed: int) -> None:
    """A step of the workers returns a new state, writes to nothing, and repeats itself."""
    rule, problem = method.program(SETTING).worker, _problem(dtype)
    model, models = _models(dtype, seed)
    state, request = rule.init(models), Request(model, WORKERS, 1, SEED)
    kept = deepcopy((state, model))
    first = np.array(rule.step(state, request, problem.oracle(WORKERS))[0])
    require_same(rule.step(state, request, problem.oracle(WORKERS))[0], first, "the second answer")
    require_same(model, kept[1], "the master's model")
    for name, array in arrays_of(state).items():
        require_same(array, arrays_of(kept[0])[name], f"the state's {name}")


@LAWS.law(dtype=TYPES, seed=SEEDS)
def master_leaves_its_state(method: Method, dtype: str, seed: int) -> None:
    """A step of the master returns a new state with a model of the same shape and type, writes to nothing, and
    repeats itself.
    """
    program = method.program(SETTING)
    model, rows = _models(dtype, seed)
    state = program.init(model)
    kept = deepcopy((state, rows))
    messages = program.send(Messages(rows, WORKERS, 1, SEED, model))
    after = program.step(state, messages)
    found = (after.model.shape, after.model.dtype)
    require(found == (model.shape, model.dtype), f"the model is {found[1]} of shape {found[0]}")
    require_same(program.step(state, messages).model, after.model, "the second answer")
    require_same(rows, kept[1], "the messages")
    for name, array in arrays_of(state).items():
        require_same(array, arrays_of(kept[0])[name], f"the state's {name}")


@LAWS.law(dtype=TYPES, seed=SEEDS)
def workers_send_by_rows(method: Method, dtype: str, seed: int) -> None:
    """What a worker sends depends on its own answer only, on the round and on its number, bit for bit (row law)."""
    program, (model, rows) = method.program(SETTING), _models(dtype, seed)
    together = _rows_of(program.send(Messages(rows, WORKERS, 1, SEED, model)))
    for row, worker in enumerate(WORKERS):
        alone = _rows_of(program.send(Messages(rows[[row]], WORKERS[[row]], 1, SEED, model)))
        require_same(alone[0], together[row], f"alone, what worker {worker} sends")


def _rows_of(messages: Messages) -> Array:
    """Return one row per worker, of numbers or of bits."""
    rows: Any = messages.rows
    return rows.bits if isinstance(rows, Sides) else rows


@LAWS.law(dtype=TYPES, seed=SEEDS)
def says_what_workers_send(method: Method, dtype: str, seed: int) -> None:
    """Penalised methods send models, so that the neutral message is the master's; others gradients, so that it is 0."""
    model, _ = _models(dtype, seed)
    neutral = method.program(SETTING).worker.neutral(model)
    require_same(neutral, model if method.penalised else np.zeros_like(model), "the neutral message")
