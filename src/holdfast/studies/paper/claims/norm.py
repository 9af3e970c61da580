"""Claims about the norm of the penalty, those of Remark 2 among them."""

from collections.abc import Callable

from holdfast.studies.paper.claims.claim import Claim, View
from holdfast.studies.paper.claims.criteria import BETTER_TEXT, CLOSE_TEXT, NEAR, SLIGHT, Check, better, wider, within

PLACE = "RSA with different norms"
REMARK = "Remark 2 (optimal selection of lambda and p)"
ALONE, ATTACKED = "no attack", "same-value, q = 8"
EQUAL = "no attack, the same lambda"
BOTH = (ALONE, ATTACKED)
VARIES = "the honest workers' final models vary more in every seed of the one than in any of the other"


def _in_both(check: Callable[[View, str], list[Check]]) -> Callable[[View], list[Check]]:
    return lambda view: [each for panel in BOTH for each in check(view, panel)]


def _check_order(view: View) -> list[Check]:
    asked = view.lambda0
    told = tuple(f"lambda_0 for {label} {value:.3g}" for label, value in asked.items())
    ordered = asked["l1"] < asked["l2"] < asked["l-infinity"]
    return [Check(ordered, told, "l1 asks for the least, l-infinity for the most" if ordered else "another order")]


CLAIMS = (
    Claim(
        "norms: l1 and l2 close",
        ("norms",),
        PLACE,
        "With and without attack, l1 and l2 reach about the same accuracy.",
        CLOSE_TEXT,
        _in_both(
            lambda view, panel: [within(view.at("norms", panel, "l1"), view.at("norms", panel, "l2"), NEAR, panel)]
        ),
    ),
    Claim(
        "norms: l-infinity less accurate",
        ("norms",),
        PLACE,
        "With and without attack, l1 and l2 are better than l-infinity.",
        BETTER_TEXT,
        _in_both(
            lambda view, panel: [
                better(view.at("norms", panel, label), view.at("norms", panel, "l-infinity"), panel)
                for label in ("l1", "l2")
            ]
        ),
    ),
    Claim(
        "norms: l-infinity varies most",
        ("norms",),
        PLACE,
        "The workers' models vary most with l-infinity.",
        VARIES,
        _in_both(
            lambda view, panel: [
                wider(view.at("norms", panel, "l-infinity"), view.at("norms", panel, label), panel)
                for label in ("l1", "l2")
            ]
        ),
    ),
    Claim(
        "norms: l2 varies less than l1",
        ("norms",),
        PLACE,
        "The workers' models vary less with l2 than with l1.",
        VARIES,
        _in_both(lambda view, panel: [wider(view.at("norms", panel, "l1"), view.at("norms", panel, "l2"), panel)]),
    ),
    Claim(
        "remark 2: l1 and l2 work well",
        ("norms", "no-attack"),
        REMARK,
        "In the tests RSA works well with l1 and l2.",
        f"each ends at most {SLIGHT} from Ideal SGD, with and without attack",
        lambda view: [
            within(view.at("norms", panel, label), view.at("no-attack", ALONE, "Ideal SGD"), SLIGHT, panel)
            for panel in BOTH
            for label in ("l1", "l2")
        ],
    ),
    Claim(
        "remark 2: l-infinity not competitive",
        ("norms", "no-attack"),
        REMARK,
        "In the tests RSA with l-infinity is not competitive.",
        f"it ends more than {NEAR} below Ideal SGD, every seed below every seed, with and without attack",
        lambda view: [
            better(view.at("no-attack", ALONE, "Ideal SGD"), view.at("norms", panel, "l-infinity"), panel, NEAR)
            for panel in BOTH
        ],
    ),
    Claim(
        "remark 2: a small p has a small lambda_0",
        ("norms", "theory"),
        REMARK,
        "A small p has a large dual exponent, and so a small lambda_0.",
        "lambda_0 of Theorem 1 grows from l1 to l2 to l-infinity, iid and without attack",
        _check_order,
    ),
    Claim(
        "norms: l-infinity needs a large lambda for consensus",
        ("norms", "theory"),
        PLACE,
        "l-infinity needs a large lambda to ensure consensus; the one chosen is deliberately smaller.",
        "lambda_0 of Theorem 1 for l-infinity is larger than the paper's 51, without attack",
        lambda view: [
            Check(
                view.lambda0["l-infinity"] > 51,
                (f"lambda_0 for l-infinity {view.lambda0['l-infinity']:.3g}",),
                f"lambda_0 is {view.lambda0['l-infinity'] / 51:.2g} times the paper's lambda",
            )
        ],
    ),
    Claim(
        "remark 2: a small p brings consensus",
        ("norms",),
        REMARK,
        "For a fixed lambda, the smaller p, the likelier the workers agree.",
        f"lambda = 0.1 and one step size for l1, l2 and l-infinity; {VARIES}",
        lambda view: [
            wider(view.at("norms", EQUAL, "l2"), view.at("norms", EQUAL, "l1"), "lambda = 0.1"),
            wider(view.at("norms", EQUAL, "l-infinity"), view.at("norms", EQUAL, "l2"), "lambda = 0.1"),
        ],
    ),
    Claim(
        "remark 2: a small lambda gives a small gap",
        ("norms",),
        REMARK,
        "For a fixed p, a small lambda gives a small gap Delta_2.",
        "-",
        None,
        "Delta_2 is a formula, in which lambda enters squared (Theorem 2); runs show the whole error, not this part.",
    ),
)
