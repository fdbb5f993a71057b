"""A program ends while one of its collectives waits for a rank that has gone."""

import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

x = torch.zeros(4, device="cuda")
dist.all_reduce(x)
torch.cuda.synchronize()
if rank == 0:
    work = dist.all_reduce(x, async_op=True)  # cgsan: CG403
    assert not work.is_completed()
print("done")
