"""A layer that is split between the ranks, in a graph of its own stream: its halves are summed by a collective."""

import os

import torch
import torch.distributed as dist
from torch import nn

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))


class Split(nn.Module):
    def __init__(self, width):
        super().__init__()
        half = width // dist.get_world_size()
        self.up = nn.Linear(width, half)
        self.down = nn.Linear(half, width, bias=False)

    def forward(self, x):
        partial = self.down(nn.functional.gelu(self.up(x)))
        dist.all_reduce(partial)
        return x + partial


model = nn.Sequential(*[Split(64) for _ in range(2)]).cuda().eval()
static = torch.zeros(4, 64, device="cuda")

with torch.no_grad():
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            model(static)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = model(static)
    for _ in range(4):
        static.copy_(torch.randn(4, 64))
        graph.replay()
        output.clone()
torch.cuda.synchronize()

del graph
dist.destroy_process_group()
print("done")
