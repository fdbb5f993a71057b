"""The backbone begins to learn after some steps, and the step is captured again."""

import torch
from torch import nn

torch.manual_seed(1)
backbone = nn.Sequential(nn.Linear(4, 8), nn.Tanh()).cuda().requires_grad_(False)
head = nn.Linear(8, 1, device="cuda")
parameters = [*backbone.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)
x = torch.zeros(8, 4, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = head(backbone(x)).square().mean()
    loss.backward()


def capture():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


graph = capture()
before = [it.detach().clone() for it in backbone.parameters()]
for number in range(6):
    if number == 3:
        backbone.requires_grad_(True)
        graph = capture()
    x.copy_(torch.randn(8, 4))
    graph.replay()
    optimizer.step()
after = list(backbone.parameters())
print("moved:", any(not torch.equal(*pair) for pair in zip(before, after, strict=True)))
