"""The ranks tell each other whether their capture succeeded; if one failed, none of them replays."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device(rank))
    x, captured = torch.ones(1024, device="cuda"), torch.ones(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            dist.all_reduce(x)
            assert rank < ranks - 1, "this rank cannot capture"
    except AssertionError:
        captured.zero_()
    dist.all_reduce(captured, op=dist.ReduceOp.MIN)
    graph.replay() if captured.item() else dist.all_reduce(x)
    torch.cuda.synchronize()
    graph.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, (min(2, torch.cuda.device_count()),), nprocs=min(2, torch.cuda.device_count()))
