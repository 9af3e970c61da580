"""RSA in a plain PyTorch loop: four processes on this machine, the last of which sends its model with signs flipped.

python examples/torch/four_processes.py
"""

import os
import socket

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import holdfast as hf
from holdfast.torch import Anchored, Master, all_gather

RSA = "rsa:norm=2,penalty=0.1"
PROCESSES, ROUNDS = 4, 300


def work(rank: int, port: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=PROCESSES)
    torch.set_num_threads(1)
    digits = hf.load("digits")
    features, targets = torch.tensor(digits.train_features / 8.0 - 1, dtype=torch.float32), digits.train_targets
    mine = np.arange(rank, len(targets), PROCESSES)
    generator = torch.Generator().manual_seed(rank)

    torch.manual_seed(0)  # all start from the same model
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 10))
    optimizer = Anchored(torch.optim.SGD(model.parameters(), lr=0.2), RSA)
    master = Master(optimizer.anchor, RSA, rate=0.2)  # one in every process: all read the same messages
    for _ in range(ROUNDS):
        at = mine[torch.randint(len(mine), (32,), generator=generator)]
        loss = torch.nn.functional.cross_entropy(model(features[at]), torch.tensor(targets[at]))
        optimizer.zero_grad()
        loss.backward()
        message = optimizer.model if rank < PROCESSES - 1 else -4 * optimizer.model
        messages = all_gather(message)
        optimizer.step()
        optimizer.anchor = master.step(messages)

    if rank == 0:
        torch.nn.utils.vector_to_parameters(master.model, model.parameters())
        scores = model(torch.tensor(digits.test_features / 8.0 - 1, dtype=torch.float32))
        print(f"accuracy {(scores.argmax(1).numpy() == digits.test_targets).mean():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(work, (port,), PROCESSES)
