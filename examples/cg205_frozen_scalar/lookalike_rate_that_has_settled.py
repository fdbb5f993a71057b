"""The learning rate rises in eager steps, and stays from then on: the graph is captured with what it stays at."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4, device="cuda")
WARM_UP = 4


def step():
    optimizer.zero_grad(set_to_none=True)
    net(x).square().mean().backward()
    optimizer.step()


stream = torch.cuda.Stream()
graph = None
for number in range(1, 9):
    stream.wait_stream(torch.cuda.current_stream())
    if number <= WARM_UP:
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * number / WARM_UP
        with torch.cuda.stream(stream):
            step()
        torch.cuda.current_stream().wait_stream(stream)
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            step()
    graph.replay()
print(net.weight.sum().item())
