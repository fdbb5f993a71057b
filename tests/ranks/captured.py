"""Collectives in graphs: each replay is one, with the values that are there then."""

import os

import torch
import torch.distributed as dist

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))


def write(tensor, *numbers):
    tensor.copy_(torch.tensor(numbers, dtype=tensor.dtype))


def check(tensor, *numbers):
    assert tensor.cpu().tolist() == list(numbers), (rank, tensor, numbers)


static = torch.zeros(2, device="cuda")
result = torch.zeros(2, device="cuda")
parts = torch.zeros(4, device="cuda")
dist.all_reduce(static)
dist.all_gather_into_tensor(parts, static)
torch.cuda.synchronize()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result.copy_(static)
    dist.all_reduce(result)
    dist.all_gather_into_tensor(parts, static)

write(static, 1 + rank, 5)
write(result, -1, -1)
check(result, -1, -1)
for step in range(3):
    write(static, step + rank, step)
    graph.replay()
    check(result, 2 * step + 1, 2 * step)
    check(parts, step, step, step + 1, step)

# A replay on one rank meets a call on the other.
if rank == 0:
    graph.replay()  # cgsan: CG403
else:
    result.copy_(static)
    dist.all_reduce(result)
    dist.all_gather_into_tensor(parts, static)
check(result, 5, 4)

# A stage sends what the next one receives.
packet = torch.zeros(2, device="cuda")
pipeline = torch.cuda.CUDAGraph()
with torch.cuda.graph(pipeline):
    if rank == 0:
        dist.send(packet, 1)
    else:
        dist.recv(packet, 0)
for step in range(2):
    write(packet, *((step, 10 + step) if rank == 0 else (-1, -1)))
    pipeline.replay()
    check(packet, step, 10 + step)

torch.cuda.synchronize()
del graph, pipeline
dist.destroy_process_group()
print("done")
