"""A rank that never comes: its peers are not held up before they wait, an abort lets go of them, and the program ends."""

import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

x = torch.zeros(4, device="cuda")
dist.all_reduce(x)
torch.cuda.synchronize()
dist.barrier()
if rank == 0:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        graph.replay()  # cgsan: CG403
        happened = side.record_event()
    assert not side.query() and not happened.query()
    assert torch.cuda.Stream().query()
    dist.distributed_c10d._abort_process_group()
    torch.cuda.synchronize()
    assert side.query() and happened.query()
print("done")
