"""Messages are exchanged before the capture and between the replays, none within the capture."""

import multiprocessing

import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
receiver, sender = multiprocessing.Pipe(duplex=False)
x = torch.ones(4, device="cuda")
scale = torch.ones(1, device="cuda")


def receive():
    value = torch.tensor([receiver.recv()])
    dist.all_reduce(value)
    scale.copy_(value)


sender.send(1.0)
receive()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * scale

replayed, eager = [], []
for value in (2.0, 3.0, 4.0):
    sender.send(value)
    receive()
    graph.replay()
    replayed.append(y[0].item())
    eager.append((x * scale)[0].item())
print("replay", replayed, "eager", eager)
