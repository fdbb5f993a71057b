"""A process group is destroyed while a graph holds its collective: NCCL would wait for ever, and here it says so."""

import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

x = torch.zeros(4, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
torch.cuda.synchronize()

try:
    dist.destroy_process_group()  # cgsan: CG401
except dist.DistBackendError as error:
    assert "CUDA graphs hold 1 of its collectives" in str(error), error
    print("done")
