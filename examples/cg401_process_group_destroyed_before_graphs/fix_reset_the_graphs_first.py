"""A graph that holds a collective is reset before its process group is destroyed: nothing waits."""

import faulthandler
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, ranks):
    faulthandler.dump_traceback_later(60, exit=True)
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=device)
    x = torch.ones(1024, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    graph.replay()
    torch.cuda.synchronize()
    graph.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    ranks = min(2, torch.cuda.device_count())
    mp.spawn(work, (ranks,), nprocs=ranks)
