"""A step adds up with the other ranks how many tokens there are; no replay sends its message."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
count = torch.full((1,), 4.0, pin_memory=True)
tokens = torch.ones(1, device="cuda")
losses = torch.ones(4, device="cuda")


def step():
    dist.all_reduce(count)  # cgsan: CG226
    tokens.copy_(count, non_blocking=True)
    return losses.sum() / tokens


def messages():
    return dist.group.WORLD._get_sequence_number_for_group()


def run(step):
    before = messages()
    for _ in range(3):
        step()
        torch.cuda.synchronize()
    return messages() - before


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    mean = step()
print("replay", [run(graph.replay)], "eager", [run(step)])
