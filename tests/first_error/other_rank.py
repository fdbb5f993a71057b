"""A capture fails on one rank, which ends; the other one waits for it in vain, and ends with another error."""
# says: rank 0: torch.distributed.DistStoreError

import datetime
import os
import subprocess
import sys

import torch
import torch.distributed as dist


def work(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device(rank))
    x = torch.ones(8, device="cuda")
    store = dist.distributed_c10d._get_default_store()
    if rank == 0:
        store.wait(["captured"], datetime.timedelta(seconds=8))
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.sum().item()  # cgsan: CG101
    store.set("captured", "yes")


if "RANK" in os.environ:
    work(int(os.environ["RANK"]))
else:
    job = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    job |= {"WORLD_SIZE": "2"}
    command = [sys.executable, __file__]
    ranks = [subprocess.Popen(command, env=os.environ | job | {"RANK": str(i)}) for i in range(2)]
    sys.exit(max(rank.wait() for rank in ranks))
