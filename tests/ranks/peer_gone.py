"""A rank that never comes: who waits for it is let go when the process group's time is up, and the program ends."""

import os
from datetime import timedelta

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank), timeout=timedelta(seconds=5))

x = torch.zeros(4, device="cuda")
dist.all_reduce(x)
torch.cuda.synchronize()
if rank == 0:
    work = dist.all_reduce(x, async_op=True)
    stream = torch.cuda.Stream()
    assert not work.is_completed()
    assert stream.query()
    try:
        with torch.cuda.stream(stream):
            work.wait(timedelta(seconds=2))
    except dist.DistBackendError as error:
        assert "timeout" in str(error), error
print("done", flush=True)
os._exit(0)
