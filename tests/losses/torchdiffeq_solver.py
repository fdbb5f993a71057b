"""torchdiffeq: a spiral is followed with steps of fixed and of chosen lengths, and its equation is learned."""

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint
from ways import DEVICE, adamw, say

turn = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]).to(DEVICE)
start = torch.tensor([[2.0, 0.0]])
times = torch.linspace(0, 2, 8).to(DEVICE)


def spiral(_, x):
    return (x**3) @ turn


path = odeint(spiral, start.to(DEVICE), times)
say(path[-1], path.norm())
say(odeint(spiral, start.to(DEVICE) / 2, times, method="rk4"))


class Equation(nn.Module):
    """What is to turn out as the spiral."""

    def __init__(self):
        super().__init__()
        self.parts = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, _, x):
        return self.parts(x**3)


model = Equation().to(DEVICE)
optimizer = adamw(model.parameters())
for _ in range(4):
    optimizer.zero_grad()
    loss = (odeint_adjoint(model, start.to(DEVICE), times) - path).abs().mean()
    loss.backward()
    optimizer.step()
    say(loss)
