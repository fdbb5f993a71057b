"""One rank catches the error of its capture and goes on eagerly; the other replays."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device(rank))
    x, graph = torch.ones(1024, device="cuda"), torch.cuda.CUDAGraph()
    dist.all_reduce(x)
    captured = True
    try:
        with torch.cuda.graph(graph):  # cgsan: CG404
            dist.all_reduce(x)
            assert rank == 0, "this rank cannot capture"  # cgsan: label
    except AssertionError:
        captured = False
    for _ in range(2):
        graph.replay() if captured else dist.all_reduce(x[:512])
    torch.cuda.synchronize()
    graph.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, (2,), nprocs=2)
