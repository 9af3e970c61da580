"""A Byzantine node's reply in place of its update. The node knows no more than its own process does."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from holdfast.attacks import ATTACKS, LabelPoisoning, LocalAttack, LocalView, WithMemory
from holdfast.attacks.threats import BatchPoisoning
from holdfast.errors import InvalidInput
from holdfast.federation.model_layout import Layout, Model
from holdfast.typing import Array


def make_local_attack(attack: object) -> LocalAttack:
    """Return the attack that a text, a table or an object names; a process that ends after each message mounts it."""
    made = ATTACKS.make(attack)
    if not isinstance(made, LocalAttack):
        raise InvalidInput(
            f"a node alone can only mount a LocalAttack; got {ATTACKS.name(made)}, which sees what others send"
        )
    if isinstance(made, WithMemory):
        raise InvalidInput(f"a node can only mount an attack without memory; got {ATTACKS.name(made)}")
    return made


@dataclass(frozen=True)
class Compromise:
    """An attack on the update of one node."""

    attack: LocalAttack
    seed: int = 0

    @classmethod
    def of(cls, attack: object, seed: int = 0) -> Self:
        """Return the compromise that a text, a table or an object names."""
        made = make_local_attack(attack)
        if isinstance(made, LabelPoisoning | BatchPoisoning):
            raise InvalidInput(
                f"an attack on updates must change them; got {ATTACKS.name(made)}, which changes samples"
            )
        return cls(made, seed)

    def model(self, sent: Mapping[str, Array], trained: Mapping[str, Array], worker: int, round: int) -> Model:
        """Return the Byzantine node's reply: the model that was sent, plus the attack on the update.

        >>> flip = Compromise.of("sign-flip:factor=-2")
        >>> flip.model({"w": np.array([10.0])}, {"w": np.array([11.0])}, worker=1, round=1)
        {'w': array([8.])}
        """
        before, after = Layout.of(sent), Layout.of(trained)
        update = (after.vector - before.vector)[np.newaxis]
        view = LocalView(update, np.zeros_like(update[0]), np.array([worker]), round, self.seed)
        with np.errstate(over="ignore", invalid="ignore"):
            reply = before.vector + self.attack(view)[0]
        return after.model(reply, after.others(list(trained.values())))
