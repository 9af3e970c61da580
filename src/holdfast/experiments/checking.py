"""What cannot work is said before the first of many runs begins."""

import pickle
from collections.abc import Iterable

from holdfast.errors import InvalidInput
from holdfast.experiments.building import build_problem
from holdfast.experiments.parts import check, setting_of
from holdfast.experiments.spec import Spec
from holdfast.theory import steps


def require_jobs(jobs: int | None) -> None:
    """Refuse a number of processes that could not work."""
    if jobs is not None and jobs < 1:
        raise InvalidInput(f"jobs must be at least 1; got {jobs}")


def check_all(specs: Iterable[Spec], jobs: int | None) -> None:
    """Refuse specs that cannot be run: each kind of data and partition is dealt once to see."""
    require_jobs(jobs)
    dealt = set()
    for spec in specs:
        check(spec)
        require_portable(spec)
        kind = (spec.data, spec.dealing, spec.problem, spec.workers)
        if kind not in dealt:
            dealt.add(kind)
            build_problem(spec)
        if spec.schedule in steps.REGISTRY:  # these step sizes depend on the samples
            setting_of(spec, build_problem(spec)[1])


def require_portable(spec: Spec) -> None:
    """Refuse parts that other processes could not have; data and problems may be large, and are left to them."""
    for name in ("method", "attack", "partition"):
        try:
            pickle.dumps(getattr(spec, name))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InvalidInput(f"compare sends runs to other processes, which must know {name}; got {error}") from None
