"""Claims about workers whose data are alike: no attack, same values, flipped signs, noise."""

from itertools import combinations

from holdfast.studies.paper.claims.claim import Claim, View
from holdfast.studies.paper.claims.criteria import (
    BETTER_TEXT,
    CLEARLY_TEXT,
    CLOSE_TEXT,
    FAILS_TEXT,
    NEAR,
    SAME,
    SAME_TEXT,
    SLIGHT,
    Check,
    better,
    fails,
    slightly_worse,
    within,
)

FOUR, EIGHT = "q = 4", "q = 8"
ALONE = "no attack"
BOTH = (FOUR, EIGHT)
NO_ATTACK, SAME_VALUE = "Without Byzantine attacks", "Same-value attacks"
SIGN_FLIPPING, GAUSSIAN = "Sign-flipping attacks", "Gaussian attacks"


def _close(figure: str, panel: str, label: str) -> Claim:
    place = NO_ATTACK if figure == "no-attack" else SAME_VALUE
    where = "" if figure == "no-attack" else f" with {panel}"
    return Claim(
        f"{figure}: {label} close to Ideal SGD",
        (figure,),
        place,
        f"{label} comes close to Ideal SGD{where}.",
        CLOSE_TEXT,
        lambda view: [within(view.at(figure, panel, label), view.at(figure, panel, "Ideal SGD"), NEAR)],
    )


def _ahead(figure: str, place: str, panels: tuple[str, ...], says: str, by: float = 0.0) -> Claim:
    """RSA and GeoMed each end above Krum and Median."""
    return Claim(
        f"{figure}: RSA and GeoMed ahead",
        (figure,),
        place,
        says,
        CLEARLY_TEXT if by else BETTER_TEXT,
        lambda view: [
            better(view.at(figure, panel, a), view.at(figure, panel, b), panel if len(panels) > 1 else "", by)
            for panel in panels
            for a in ("RSA", "GeoMed")
            for b in ("Krum", "Median")
        ],
    )


def _sgd_fails(figure: str, place: str) -> Claim:
    return Claim(
        f"{figure}: SGD fails",
        (figure,),
        place,
        "SGD fails with q = 4 and with q = 8.",
        FAILS_TEXT,
        lambda view: [fails(view.at(figure, panel, "SGD"), panel) for panel in BOTH],
    )


def _from_four_to_eight(label: str, worse: bool) -> Claim:
    def checks(view: View) -> list[Check]:
        four, eight = (view.at("same-value", panel, label).rename(f"{label} with {panel}") for panel in BOTH)
        return [better(four, eight) if worse else within(eight, four, SAME)]

    return Claim(
        f"same-value: {label} {'worse' if worse else 'the same'} with q = 8",
        ("same-value",),
        SAME_VALUE,
        f"{label} does {'worse with q = 8 than' if worse else 'almost the same with q = 8 as'} with q = 4.",
        BETTER_TEXT if worse else SAME_TEXT,
        checks,
    )


def _check_unaffected(view: View) -> list[Check]:
    figures = [(figure, panel) for figure in ("same-value", "sign-flipping", "gaussian") for panel in BOTH]
    alone = view.at("no-attack", ALONE, "Ideal SGD")
    others = [view.at(figure, panel, "Ideal SGD") for figure, panel in figures]
    equal = all(other.accuracies == alone.accuracies for other in others)
    found = sorted({round(accuracy, 4) for curve in (alone, *others) for accuracy in curve.accuracies})
    return [
        Check(
            equal,
            (f"accuracies of its seeds over all figures: {found}",),
            "the same in every figure" if equal else "not the same in every figure",
        )
    ]


def _similar(view: View) -> list[Check]:
    return [
        within(view.at("sign-flipping", panel, a), view.at("sign-flipping", panel, b), NEAR, panel)
        for panel in BOTH
        for a, b in combinations(("RSA", "GeoMed", "Median"), 2)
    ]


CLAIMS = (
    Claim(
        "setting: Ideal SGD knows no q",
        ("no-attack", "same-value", "sign-flipping", "gaussian"),
        "Benchmark algorithms",
        "Ideal SGD does not depend on the number of Byzantine workers.",
        "the same accuracy, seed by seed, in every figure",
        _check_unaffected,
    ),
    _close("no-attack", ALONE, "RSA"),
    _close("no-attack", ALONE, "GeoMed"),
    _ahead("no-attack", NO_ATTACK, (ALONE,), "RSA and GeoMed do significantly better than Krum and Median.", NEAR),
    Claim(
        "no-attack: robustness costs nothing",
        ("no-attack",),
        NO_ATTACK,
        "Where nobody attacks, the penalty's bias costs RSA no performance.",
        f"RSA ends at most {SAME} from Ideal SGD",
        lambda view: [within(view.at("no-attack", ALONE, "RSA"), view.at("no-attack", ALONE, "Ideal SGD"), SAME)],
    ),
    _close("same-value", FOUR, "RSA"),
    _close("same-value", FOUR, "GeoMed"),
    _ahead("same-value", SAME_VALUE, (FOUR,), "With q = 4, RSA and GeoMed do better than Krum and Median."),
    _from_four_to_eight("Krum", worse=True),
    _from_four_to_eight("Median", worse=True),
    _from_four_to_eight("RSA", worse=False),
    _from_four_to_eight("GeoMed", worse=False),
    Claim(
        "same-value: SGD works",
        ("same-value",),
        SAME_VALUE,
        "SGD still works: adding one value to all coordinates changes no prediction of softmax regression.",
        f"SGD ends at most {SLIGHT} below Ideal SGD with q = 4 and q = 8",
        lambda view: [
            within(view.at("same-value", panel, "SGD"), view.at("same-value", panel, "Ideal SGD"), SLIGHT, panel)
            for panel in BOTH
        ],
    ),
    _sgd_fails("sign-flipping", SIGN_FLIPPING),
    Claim(
        "sign-flipping: RSA, GeoMed, Median similar",
        ("sign-flipping",),
        SIGN_FLIPPING,
        "GeoMed, Median and RSA perform similarly.",
        f"{CLOSE_TEXT}, any two of them, with q = 4 and q = 8",
        _similar,
    ),
    Claim(
        "sign-flipping: Median slightly worse",
        ("sign-flipping",),
        SIGN_FLIPPING,
        "Median is slightly worse than the other robust methods.",
        f"Median ends below GeoMed, Krum and RSA, by at most {SLIGHT}, with q = 4 and q = 8",
        lambda view: [
            slightly_worse(view.at("sign-flipping", panel, "Median"), view.at("sign-flipping", panel, other), panel)
            for panel in BOTH
            for other in ("GeoMed", "Krum", "RSA")
        ],
    ),
    _sgd_fails("gaussian", GAUSSIAN),
    Claim(
        "gaussian: RSA and GeoMed similar",
        ("gaussian",),
        GAUSSIAN,
        "RSA and GeoMed perform similarly.",
        f"{CLOSE_TEXT}, with q = 4 and q = 8",
        lambda view: [
            within(view.at("gaussian", panel, "RSA"), view.at("gaussian", panel, "GeoMed"), NEAR, panel)
            for panel in BOTH
        ],
    ),
    _ahead("gaussian", GAUSSIAN, BOTH, "RSA and GeoMed do better than Median and Krum."),
)
