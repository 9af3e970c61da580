"""What the paper's numerical section asserts, sentence by sentence, and what others do, and whether it holds here.

The criteria were written before the runs that they judge, and are the same words everywhere:
`criteria` says what "close", "fails" or "slightly slower" mean in numbers.
"""

from collections.abc import Mapping, Sequence

from holdfast.studies.paper.claims import heterogeneous, identical, norm, penalty, yardsticks
from holdfast.studies.paper.claims import iteration_time as runtime
from holdfast.studies.paper.claims.claim import Claim, Judged, Verdict, View
from holdfast.studies.paper.findings import Findings

CLAIMS: tuple[Claim, ...] = (
    *identical.CLAIMS,
    *runtime.CLAIMS,
    *penalty.CLAIMS,
    *norm.CLAIMS,
    *heterogeneous.CLAIMS,
    *yardsticks.CLAIMS,
)
"""In the order of the paper; Remark 2 stands with the figures that test it. Other papers' come last."""


def judge(findings: Sequence[Findings], lambda0: Mapping[str, float] | None = None) -> list[Judged]:
    """Judge every claim whose figures are all there; those on `theory` need lambda_0 by norm."""
    view = View({found.figure.name: found for found in findings}, lambda0 or {})
    known = {*view.figures, *(["theory"] if lambda0 else [])}
    return [claim.judge(view) for claim in CLAIMS if set(claim.figures) <= known]
