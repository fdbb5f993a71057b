"""The backbone is frozen after some steps; the captured step goes on training it."""

import torch
from torch import nn


def run(replays):
    torch.manual_seed(1)
    backbone = nn.Sequential(nn.Linear(4, 8), nn.Tanh()).cuda()
    head = nn.Linear(8, 1, device="cuda")
    parameters = [*backbone.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    x = torch.zeros(8, 4, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        head(backbone(x)).square().mean().backward()  # cgsan: CG201
        optimizer.step()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    if replays:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
    for number in range(6):
        if number == 3:
            backbone.requires_grad_(False)
            before = backbone[0].weight.detach().clone()
        x.copy_(torch.randn(8, 4))
        if replays:
            graph.replay()  # cgsan: label
        else:
            step()
    return not torch.equal(before, backbone[0].weight)


print("replay", [run(True)], "eager", [run(False)])
