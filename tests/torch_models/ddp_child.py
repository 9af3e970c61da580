"""Three processes train one model with DDP under a robust hook; the last one's gradients are wild."""

import os
import sys
from typing import Any

import torch
import torch.distributed as dist

from holdfast.torch import ddp_hook


def work(rank: int, port: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=3)
    torch.manual_seed(0)
    model: Any = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 2))
    model.register_comm_hook(None, ddp_hook("median"))
    x = torch.full((1, 3), [1.0, 2.0, float("inf")][rank])
    model(x).sum().backward()
    found = model.module.weight.grad
    assert torch.equal(found, torch.full((2, 3), 2.0)), found  # the median of 1, 2 and infinity
    dist.destroy_process_group()


if __name__ == "__main__":
    processes: Any = torch.multiprocessing
    processes.spawn(work, (int(sys.argv[1]),), 3)
