"""A cell of ByzFL's heat map, played by ByzFL itself: its clients, server, stages, rule, attack and deal of MNIST.

    .venv-bench/bin/python -m benchmarks.byzfl_heat_map 0.33 1 Optimal_InnerProductManipulation    # gamma, f, attack

Settings are those of its default configuration (`byzfl.benchmark`), whose own loop needs torchvision to read MNIST. Of
the training samples four fifths are dealt, as there. Every 50 rounds the accuracy on the test samples is printed. One
thread; about an hour. docs/networks.md has the same cells played by holdfast.
"""

import sys
from typing import Any

import torch

import holdfast as hf
from benchmarks.contestants.with_byzfl import byzfl
from benchmarks.versions import machine

HONEST, ROUNDS, BATCH, EVERY = 10, 800, 25, 50
LEARNING = {"learning_rate": 0.1, "weight_decay": 1e-4, "milestones": [], "learning_rate_decay": 1.0}
MODEL = {"model_name": "cnn_mnist", "device": "cpu", "optimizer_name": "SGD", "loss_name": "NLLLoss", "nb_labels": 10}
CLIENT = {"momentum": 0.9, "LabelFlipping": False, "store_per_client_metrics": False}
RULE = {"name": "GeometricMedian", "parameters": {"nu": 0.1, "T": 3}}


class Images(torch.utils.data.TensorDataset):
    """Images with ByzFL's normalisation, and their labels, by the name under which it looks for them."""

    def __init__(self, pixels: Any, labels: Any) -> None:
        x = torch.from_numpy(pixels).float().unsqueeze(1).div(255).sub(0.1307).div(0.3081)
        self.targets = torch.from_numpy(labels).long()
        super().__init__(x, self.targets)


def main(gamma: float, f: int, attack: str) -> None:
    print(machine(), f"gamma = {gamma:g}, f = {f}, {attack}", flush=True)
    torch.set_num_threads(1)
    byzfl.utils.misc.set_random_seed(0)
    clients, server, byzantine = _federation(gamma, f, attack)
    for played in range(1, ROUNDS + 1):
        for client in clients:
            client.set_model_state(server.get_dict_parameters())
            client.compute_gradients()
        honest = [client.get_flat_gradients_with_momentum() for client in clients]
        server.update_model_with_gradients(honest + byzantine.apply_attack(honest))
        if played % EVERY == 0:
            with torch.no_grad():
                print(played, f"{server.compute_test_accuracy():.4f}", flush=True)


def _federation(gamma: float, f: int, attack: str) -> tuple[Any, Any, Any]:
    mnist = hf.load("mnist")
    train = Images(mnist.train_features, mnist.train_targets)
    dealt, _ = torch.utils.data.random_split(train, [0.8, 0.2])
    about = {"data_distribution_name": "gamma_similarity_niid", "distribution_parameter": gamma, "nb_honest": HONEST}
    loaders = byzfl.DataDistributor(about | {"data_loader": dealt, "batch_size": BATCH}).split_data()
    clients = [byzfl.Client(MODEL | LEARNING | CLIENT | {"training_dataloader": loader}) for loader in loaders]
    stages = [{"name": "Clipping", "parameters": {}}, {"name": "NNM", "parameters": {"f": f}}]
    test = torch.utils.data.DataLoader(Images(mnist.test_features, mnist.test_targets), batch_size=1000)
    master = {"aggregator_info": RULE, "pre_agg_list": stages, "test_loader": test}
    server = byzfl.Server(MODEL | LEARNING | master)
    parameters = {"aggregator_info": RULE, "pre_agg_list": stages, "f": f}
    return clients, server, byzfl.ByzantineClient({"name": attack, "f": f, "parameters": parameters})


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
