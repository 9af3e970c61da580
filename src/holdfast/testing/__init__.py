"""The laws that every part of holdfast keeps, for parts from outside: `check_rule(MyRule())` in a test of yours.

A report says which laws hold and shows the smallest counterexample found to each that does not; `holdfast check`
prints it. Inputs are searched by hypothesis, the same ones every time.
"""

from holdfast.errors import InvalidInput

try:
    import hypothesis as _hypothesis
except ImportError:
    raise InvalidInput(
        "holdfast.testing needs hypothesis: pip install 'holdfast[testing]'; got no module named hypothesis"
    ) from None

from holdfast.testing.attack_laws import check_attack
from holdfast.testing.kinds import KINDS, check, kind_of, make_named
from holdfast.testing.method_laws import check_method
from holdfast.testing.outcomes import Law, LawBroken, Report
from holdfast.testing.partition_laws import check_partition
from holdfast.testing.penalty_laws import check_penalty
from holdfast.testing.problem_laws import check_problem
from holdfast.testing.rule_laws import check_rule
from holdfast.testing.stage_laws import check_stage
