"""What the paper's numerical section asserts, sentence by sentence, and whether it holds here.

The criteria were written before the runs that they judge, and are the same words everywhere:
`criteria` says what "close", "fails" or "slightly slower" mean in numbers.
"""

from collections.abc import Sequence

from holdfast.reproduction.claims import heterogeneous, identical, norms, penalty, runtime
from holdfast.reproduction.claims.claim import Claim, Judged, Verdict
from holdfast.reproduction.findings import Findings

CLAIMS: tuple[Claim, ...] = (
    *identical.CLAIMS,
    *runtime.CLAIMS,
    *penalty.CLAIMS,
    *norms.CLAIMS,
    *heterogeneous.CLAIMS,
)
"""In the order of the paper; Remark 2 stands with the figures that test it."""


def judge(findings: Sequence[Findings]) -> list[Judged]:
    """Judge every claim whose figures are all there."""
    by_name = {found.figure.name: found for found in findings}
    return [claim.judge(by_name) for claim in CLAIMS if set(claim.figures) <= set(by_name)]


__all__ = ["CLAIMS", "Claim", "Judged", "Verdict", "judge"]
