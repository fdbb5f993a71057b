"""The ranks tell each other whether their captures went well before one of them replays."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device(rank))
    x, ready = torch.ones(1024, device="cuda"), torch.ones(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    dist.all_reduce(x)
    try:
        with torch.cuda.graph(graph):
            dist.all_reduce(x)
            assert rank == 0, "this rank cannot capture"
    except AssertionError:
        ready.zero_()
    dist.all_reduce(ready, op=dist.ReduceOp.MIN)
    graph.replay() if ready.item() else dist.all_reduce(x)
    torch.cuda.synchronize()
    graph.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, (2,), nprocs=2)
