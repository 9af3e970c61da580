"""Attacks: what Byzantine workers send in place of their gradients or models."""

from holdfast.attacks.adaptive import Adaptive
from holdfast.attacks.contrarians import Contrarian, Framing, PartialContrarian
from holdfast.attacks.copies import Duplicate, Mimic, NoisyDuplicate
from holdfast.attacks.corruptions import BitFlip, Dropped, Gaussian, Infinite, SameValue, SignFlip
from holdfast.attacks.labels import DynamicLabelFlip, LabelFlip, RandomLabels
from holdfast.attacks.mean_shifts import Alie, InnerProduct, NegativeSum
from holdfast.attacks.perturbations import MinMax, MinSum, TrimmedMeanAttack
from holdfast.attacks.threats import (
    Attack,
    BatchPoisoning,
    ColludingAttack,
    FullView,
    LabelPoisoning,
    LocalAttack,
    LocalView,
    Sketch,
    WithMemory,
)
from holdfast.attacks.timing import Delayed, Rotating, Sleeper
from holdfast.naming import Family

REGISTRY: dict[str, type[Attack]] = {
    "infinite": Infinite,
    "negative-sum": NegativeSum,
    "same-value": SameValue,
    "sign-flip": SignFlip,
    "gaussian": Gaussian,
    "duplicate": Duplicate,
    "contrarian": Contrarian,
    "alie": Alie,
    "inner-product": InnerProduct,
    "min-max": MinMax,
    "min-sum": MinSum,
    "trim": TrimmedMeanAttack,
    "mimic": Mimic,
    "adaptive": Adaptive,
    "label-flip": LabelFlip,
    "dynamic-label-flip": DynamicLabelFlip,
    "random-labels": RandomLabels,
    "bit-flip": BitFlip,
    "dropped": Dropped,
    "delayed": Delayed,
    "noisy-duplicate": NoisyDuplicate,
    "partial-contrarian": PartialContrarian,
    "framing": Framing,
    "sleeper": Sleeper,
    "rotating": Rotating,
}
ATTACKS: Family[Attack] = Family("attack", REGISTRY, base=Attack)
