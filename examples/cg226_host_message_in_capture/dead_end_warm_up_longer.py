"""However many steps run before the capture, the replays behind it exchange no message."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
count = torch.full((1,), 4.0)
x = torch.ones(4, device="cuda")


def messages():
    return dist.group.WORLD._get_sequence_number_for_group()


def step():
    dist.all_reduce(count)
    return x * 2


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(11):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

before = messages()
for _ in range(3):
    graph.replay()
assert messages() == before + 3, "a replay exchanges no message"
