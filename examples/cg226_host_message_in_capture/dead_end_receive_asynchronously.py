"""An asynchronous collective is begun and waited for by the host, once, during the capture."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
count = torch.full((1,), 4.0)
x = torch.ones(4, device="cuda")


def messages():
    return dist.group.WORLD._get_sequence_number_for_group()


def step():
    work = dist.all_reduce(count, async_op=True)
    y = x * 2
    work.wait()
    return y


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

before = messages()
for _ in range(3):
    graph.replay()
assert messages() == before + 3, "a replay exchanges no message"
