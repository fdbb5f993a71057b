"""A step with a message in its middle becomes two graphs, and exchanges it between them."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
x = torch.ones(4, device="cuda")
total = torch.ones(1, device="cuda")
summing, dividing = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(summing):
    local = x.sum(0, keepdim=True)
with torch.cuda.graph(dividing):
    share = x / total


def messages():
    return dist.group.WORLD._get_sequence_number_for_group()


def step():
    summing.replay()
    message = local.cpu()
    dist.all_reduce(message)
    total.copy_(message)
    dividing.replay()


before = messages()
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    step()
    assert share.tolist() == [0.25] * 4
assert messages() == before + 3
