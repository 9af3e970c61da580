"""Claims about workers whose data differ."""

from holdfast.studies.paper.claims.claim import Claim
from holdfast.studies.paper.claims.criteria import (
    BETTER_TEXT,
    FAILS_TEXT,
    NEAR,
    OPTIMAL,
    Check,
    best_possible,
    better,
    fails,
    near_optimal,
)

PLACE = "Heterogeneous Data"
NAME = "heterogeneous"
FOUR, EIGHT = "q = 4", "q = 8"


def _ceiling(panel: str, told: float) -> Claim:
    def check(found: float) -> Check:
        return Check(abs(found - told) <= NEAR, (f"{found:.3f}",), f"{abs(found - told):.3f} from {told}")

    return Claim(
        f"{NAME}: best possible {told}",
        (NAME,),
        PLACE,
        f"With {panel}, the best possible accuracy is around {told}.",
        f"the share of the test samples whose digit an honest worker holds is within {NEAR} of it",
        lambda view: [check(best_possible(view.at(NAME, panel, "RSA")))],
    )


CLAIMS = (
    _ceiling(FOUR, 0.8),
    _ceiling(EIGHT, 0.6),
    Claim(
        f"{NAME}: Krum fails with q = 4",
        (NAME,),
        PLACE,
        "With q = 4, Krum fails.",
        FAILS_TEXT,
        lambda view: [fails(view.at(NAME, FOUR, "Krum"))],
    ),
    Claim(
        f"{NAME}: RSA ahead with q = 4",
        (NAME,),
        PLACE,
        "With q = 4, RSA does better than GeoMed and Median.",
        BETTER_TEXT,
        lambda view: [better(view.at(NAME, FOUR, "RSA"), view.at(NAME, FOUR, other)) for other in ("GeoMed", "Median")],
    ),
    Claim(
        f"{NAME}: all but RSA fail with q = 8",
        (NAME,),
        PLACE,
        "With q = 8, GeoMed, Krum and Median all fail.",
        FAILS_TEXT,
        lambda view: [fails(view.at(NAME, EIGHT, label)) for label in ("GeoMed", "Krum", "Median")],
    ),
    Claim(
        f"{NAME}: RSA near-optimal with q = 8",
        (NAME,),
        PLACE,
        "With q = 8, RSA performs well and comes near the best possible accuracy.",
        f"mean accuracy above {OPTIMAL} of the best possible",
        lambda view: [near_optimal(view.at(NAME, EIGHT, "RSA"))],
    ),
)
