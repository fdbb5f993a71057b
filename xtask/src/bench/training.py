"""An hour of training in calls: a captured step, its input copies, a loss that is read, a validation."""

import sys

import torch
from torch import nn

steps = int(sys.argv[1])
torch.manual_seed(0)
model = nn.Sequential(
    *[nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(6)], nn.Linear(32, 8)
).cuda()
optimizer = torch.optim.AdamW(model.parameters(), capturable=True)
inputs = torch.zeros(16, 32, device="cuda")
targets = torch.zeros(16, dtype=torch.long, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=False)
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()

mean = 0.0
for number in range(steps):
    batch = torch.randn(16, 32)
    inputs.copy_(batch)
    targets.copy_(torch.randint(0, 8, (16,)))
    graph.replay()
    if number % 50 == 0:
        mean = 0.9 * mean + 0.1 * loss.item()
    if number % 500 == 0:
        with torch.no_grad():
            for _ in range(5):
                model(torch.randn(64, 32, device="cuda")).argmax(dim=1).eq(0).sum().item()
print("done", steps)
