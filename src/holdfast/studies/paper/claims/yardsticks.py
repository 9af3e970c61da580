"""Claims of other papers, judged alike: the mean under poisoned labels, and under copies of data that differ.

RSA is in neither claim as its authors make it. It stands beside with a criterion of ours, written before the runs too.
"""

from holdfast.studies.paper.claims.claim import Claim
from holdfast.studies.paper.claims.criteria import BETTER_TEXT, CLOSE_TEXT, NEAR, Check, better, shown, within

POISONING, DUPLICATION = "label-poisoning", "duplication"
PENG = "Peng, Li, Vlaski and Ling (JMLR 2025)"
BRAVO = "Decentralised RSA with variance reduction (BRAVO)"
RULES = ("Trimmed mean", "FABA", "Centred clipping")
RIVALS = ("GeoMed", "Krum", "Median", "Trimmed mean")
FLIPS = ("static flips", "dynamic flips")
COUNTS = ("q = 4", "q = 8")


def _mean_ahead(data: str, place: str) -> Claim:
    return Claim(
        f"{POISONING}: the mean ahead, {data}",
        (POISONING,),
        place,
        f"With data {data}, the mean ends ahead of trimmed mean, FABA and centred clipping, static flips and dynamic.",
        f"{BETTER_TEXT}, for each rule and both kinds of flips",
        lambda view: [
            better(view.at(POISONING, panel, "Mean"), view.at(POISONING, panel, rule), panel)
            for panel in (f"{data}, {flips}" for flips in FLIPS)
            for rule in RULES
        ],
    )


def _averaging_wins(panel: str) -> Claim:
    return Claim(
        f"{DUPLICATION}: plain averaging wins with {panel}",
        (DUPLICATION,),
        BRAVO,
        f"With {panel}, plain averaging ends ahead of RSA, with and without variance reduction, and of every rule.",
        BETTER_TEXT,
        lambda view: [
            better(view.at(DUPLICATION, panel, "Mean"), view.at(DUPLICATION, panel, other))
            for other in ("RSA", "RSA, LSVRG", *RIVALS)
        ],
    )


CLAIMS = (
    _mean_ahead("by label", PENG),
    _mean_ahead("mild", "ours: whether mild differences suffice"),
    Claim(
        f"{POISONING}: mean and robust rules close, iid",
        (POISONING,),
        PENG,
        "Only data that differ make robust rules fall behind: with iid data none is far from the mean.",
        f"{CLOSE_TEXT}, for each rule and both kinds of flips",
        lambda view: [
            within(view.at(POISONING, panel, "Mean"), view.at(POISONING, panel, rule), NEAR, panel)
            for panel in (f"iid, {flips}" for flips in FLIPS)
            for rule in RULES
        ],
    ),
    Claim(
        f"{POISONING}: RSA ahead of the robust rules, by label",
        (POISONING,),
        "ours",
        "Where each worker holds one digit, RSA also ends ahead of trimmed mean, FABA and centred clipping.",
        f"{BETTER_TEXT}, for each rule and both kinds of flips",
        lambda view: [
            better(view.at(POISONING, panel, "RSA"), view.at(POISONING, panel, rule), panel)
            for panel in (f"by label, {flips}" for flips in FLIPS)
            for rule in RULES
        ],
    ),
    Claim(
        f"{POISONING}: RSA close to the mean, by label",
        (POISONING,),
        "ours",
        "Where each worker holds one digit, RSA ends close to the mean.",
        f"{CLOSE_TEXT}, for both kinds of flips",
        lambda view: [
            within(view.at(POISONING, panel, "RSA"), view.at(POISONING, panel, "Mean"), NEAR, panel)
            for panel in (f"by label, {flips}" for flips in FLIPS)
        ],
    ),
    *(_averaging_wins(panel) for panel in COUNTS),
    Claim(
        f"{DUPLICATION}: variance reduction helps RSA",
        (DUPLICATION,),
        BRAVO,
        "With LSVRG, RSA ends no lower than without.",
        "the mean accuracy is at least that of RSA, with q = 4 and q = 8",
        lambda view: [
            Check(
                reduced.accuracy >= plain.accuracy,
                (f"{panel}: {shown(plain)}", f"{panel}: {shown(reduced)}"),
                f"{panel}: LSVRG changes RSA by {reduced.accuracy - plain.accuracy:+.3f}",
            )
            for panel in COUNTS
            for plain, reduced in [(view.at(DUPLICATION, panel, "RSA"), view.at(DUPLICATION, panel, "RSA, LSVRG"))]
        ],
    ),
)
