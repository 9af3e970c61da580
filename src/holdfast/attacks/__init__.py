"""What Byzantine workers send instead of their messages, be those gradients or models."""

from holdfast.attacks.adaptive import Adaptive
from holdfast.attacks.alie import Alie
from holdfast.attacks.base import (
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
from holdfast.attacks.bit_flip import BitFlip
from holdfast.attacks.contrarian import Contrarian
from holdfast.attacks.delayed import Delayed
from holdfast.attacks.dropped import Dropped
from holdfast.attacks.duplicate import Duplicate
from holdfast.attacks.dynamic_label_flip import DynamicLabelFlip
from holdfast.attacks.framing import Framing
from holdfast.attacks.gaussian import Gaussian
from holdfast.attacks.infinite import Infinite
from holdfast.attacks.inner_product import InnerProduct
from holdfast.attacks.label_flip import LabelFlip
from holdfast.attacks.mimic import Mimic
from holdfast.attacks.min_max import MinMax
from holdfast.attacks.min_sum import MinSum
from holdfast.attacks.negative_sum import NegativeSum
from holdfast.attacks.noisy_duplicate import NoisyDuplicate
from holdfast.attacks.partial_contrarian import PartialContrarian
from holdfast.attacks.random_labels import RandomLabels
from holdfast.attacks.rotating import Rotating
from holdfast.attacks.same_value import SameValue
from holdfast.attacks.sign_flip import SignFlip
from holdfast.attacks.sleeper import Sleeper
from holdfast.attacks.trimmed_mean_attack import TrimmedMeanAttack
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
