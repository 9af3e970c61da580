"""Claims about time. Seconds depend on machine and moment: they are reported, not compared with a record."""

from holdfast.studies.paper.claims.claim import Claim, View
from holdfast.studies.paper.claims.criteria import SLIGHTLY_SLOWER, Check, slower

PLACE = "Runtime comparison"
SLIGHTLY = f"an iteration takes more than 1 and at most {SLIGHTLY_SLOWER} times Ideal SGD's"


def _slower(view: View, a: str, *others: str, most: float = float("inf")) -> list[Check]:
    panel = "q = 8"
    return [slower(view.at("runtime", panel, a), view.at("runtime", panel, other), most) for other in others]


CLAIMS = (
    Claim(
        "runtime: GeoMed slowest",
        ("runtime",),
        PLACE,
        "An iteration costs most with GeoMed.",
        "it takes longer than with any other method",
        lambda view: _slower(view, "GeoMed", "Ideal SGD", "SGD", "RSA", "Krum", "Median"),
    ),
    Claim(
        "runtime: RSA slightly slower than Ideal SGD",
        ("runtime",),
        PLACE,
        "RSA is slightly slower than Ideal SGD.",
        SLIGHTLY,
        lambda view: _slower(view, "RSA", "Ideal SGD", most=SLIGHTLY_SLOWER),
    ),
    Claim(
        "runtime: Median slightly slower than Ideal SGD",
        ("runtime",),
        PLACE,
        "Median is slightly slower than Ideal SGD.",
        SLIGHTLY,
        lambda view: _slower(view, "Median", "Ideal SGD", most=SLIGHTLY_SLOWER),
    ),
    Claim(
        "runtime: RSA and Median faster than Krum",
        ("runtime",),
        PLACE,
        "RSA and Median are faster than Krum.",
        "an iteration takes less time than Krum's",
        lambda view: [*_slower(view, "Krum", "RSA", "Median")],
    ),
    Claim(
        "runtime: signs are the only overhead",
        ("runtime",),
        PLACE,
        "All that RSA adds to Ideal SGD is the computing of signs, which is light.",
        "-",
        None,
        "A clock does not say where time goes, and how light signs are is the claim on RSA and Ideal SGD above.",
    ),
    Claim(
        "runtime: RSA cheaper than complicated rules",
        ("runtime",),
        PLACE,
        "RSA computes less than the complicated ways to aggregate gradients.",
        "an iteration takes less time than GeoMed's and Krum's",
        lambda view: [*_slower(view, "GeoMed", "RSA"), *_slower(view, "Krum", "RSA")],
    ),
)
