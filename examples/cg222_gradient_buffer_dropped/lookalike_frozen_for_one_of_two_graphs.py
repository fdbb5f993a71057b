"""Of two networks in turn, each is frozen while the step of the other one is captured, and only then."""

import torch
from torch import nn

torch.manual_seed(1)
maker, critic = nn.Linear(4, 4, device="cuda"), nn.Linear(4, 1, device="cuda")
noise = torch.zeros(8, 4, device="cuda")
real = torch.zeros(8, 4, device="cuda")
optimizers = {it: torch.optim.SGD(it.parameters(), lr=0.05) for it in (maker, critic)}


def make():
    maker.zero_grad(set_to_none=True)
    loss = -critic(maker(noise)).mean()
    loss.backward()


def judge():
    critic.zero_grad(set_to_none=True)
    loss = critic(maker(noise)).mean() - critic(real).mean()
    loss.backward()


def capture(step, frozen):
    frozen.requires_grad_(False)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    frozen.requires_grad_(True)
    return graph


graphs = {maker: capture(make, critic), critic: capture(judge, maker)}
before = [it.detach().clone() for it in (*maker.parameters(), *critic.parameters())]
for number in range(6):
    trained = (maker, critic)[number % 2]
    noise.copy_(torch.randn(8, 4))
    real.copy_(torch.randn(8, 4))
    graphs[trained].replay()
    optimizers[trained].step()
after = [*maker.parameters(), *critic.parameters()]
moved = [not torch.equal(*pair) for pair in zip(before, after, strict=True)]
assert all(moved[:3]), moved
