"""The ranks agree whether to replay: either all of them do, or none does."""

import faulthandler
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    faulthandler.dump_traceback_later(60, exit=True)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device(rank))
    x, graph = torch.ones(1024, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    for step in range(4):
        ready = torch.tensor(float(rank != 1 or step != 2), device="cuda")
        dist.all_reduce(ready, op=dist.ReduceOp.MIN)
        if ready.item():
            graph.replay()
    torch.cuda.synchronize()
    graph.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, (min(2, torch.cuda.device_count()),), nprocs=min(2, torch.cuda.device_count()))
