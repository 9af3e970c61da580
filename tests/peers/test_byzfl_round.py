"""A round of ByzFL's heat map, by its server and attackers and by ours: clipping, mixing, a rule, a step.

Messages here are gradients times 1/m, and the rule's result counts m times: lengths that ByzFL has for whole gradients
are divided by m, step sizes stay.
"""

from typing import Any

import numpy as np
import pytest
from byzfl_members import byzfl
from compared import require

from holdfast.attacks import Alie, FullView, InnerProduct
from holdfast.methods import Constant, Setting, make_method
from holdfast.methods.priors import Ridge
from holdfast.typing import Messages, Rows, Vector

HONEST, RATE, DECAY = 10, 0.1, 1e-4
ATTACKS = {
    "Optimal_InnerProductManipulation": InnerProduct(search="upward", evaluations=20),
    "Optimal_ALittleIsEnough": Alie(z=-1.0, search="upward", evaluations=20),
}


def by_byzfl(start: Vector, gradients: Rows, f: int, attack: str) -> Vector:
    import torch

    peer = byzfl()
    rule = {"name": "TrMean", "parameters": {"f": f}}
    stages = [{"name": "Clipping", "parameters": {}}, {"name": "NNM", "parameters": {"f": f}}]
    about = {"model_name": "logreg_mnist", "device": "cpu", "optimizer_name": "SGD", "learning_rate": RATE}
    about |= {"weight_decay": DECAY, "milestones": [], "learning_rate_decay": 1.0}
    about |= {"test_loader": torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(1)))}
    server = peer.Server(about | {"aggregator_info": rule, "pre_agg_list": stages})
    parameters = {"aggregator_info": rule, "pre_agg_list": stages, "f": f}
    byzantine = peer.ByzantineClient({"name": attack, "f": f, "parameters": parameters})
    server.set_parameters(torch.from_numpy(start))
    honest = [torch.from_numpy(each) for each in gradients.copy()]
    server.update_model_with_gradients(honest + byzantine.apply_attack(honest))
    moved: Vector = server.get_flat_parameters().numpy()
    return moved


def by_holdfast(start: Vector, gradients: Rows, f: int, attack: Any) -> Vector:
    m = HONEST + f
    method = make_method(f"clip:radius={2 / m}+nnm+trimmed-mean")
    program = method.program(Setting(Constant(RATE), Ridge(DECAY), f))
    state = program.init(start)
    honest = (gradients / m).astype(np.float32)
    view = FullView.of(honest, f, aggregate=lambda rows: program.direction(state, Messages.of(rows))[0])
    rows = np.concatenate([honest, attack(view)])
    return program.step(state, Messages.of(rows)).model


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("f", [1, 4])
def test_a_round_of_its_heat_map(f: int, attack: str) -> None:
    require("ByzFL")
    generator = np.random.default_rng(f)
    start = generator.normal(size=7850).astype(np.float32)
    # one is clipped: two would be equally far from 0, which a search sends first. Nor is the mean: of a longer one
    # ByzFL's searches measure the damage from where it is, ours from where it is clipped to
    lengths = np.append(np.linspace(0.2, 1.9, HONEST - 1), 3.5)[:, np.newaxis]
    about = generator.normal(size=7850)
    gradients = about + generator.normal(size=(HONEST, 7850))
    gradients = (lengths * gradients / np.linalg.norm(gradients, axis=1, keepdims=True)).astype(np.float32)
    theirs, ours = by_byzfl(start, gradients, f, attack), by_holdfast(start, gradients, f, ATTACKS[attack])
    step = np.linalg.norm(theirs - start)
    assert step > 0.01
    assert np.linalg.norm(theirs - ours) < 1e-4 * step
