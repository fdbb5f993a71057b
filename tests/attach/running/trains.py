"""A training that goes on: `python trains.py STEPS FILE` writes its losses and how long each step took, after so many steps or when
there is a file named `FILE.end`.

Without arguments it trains until it is ended.
"""

import json
import os
import sys
import time

import torch

torch.manual_seed(0)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else None
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.zeros(8, 16, device="cuda"), torch.zeros(8, 1, device="cuda")
batches = [(torch.randn(8, 16).cuda(), torch.randn(8, 1).cuda()) for _ in range(64)]


def step():
    optimizer.zero_grad(set_to_none=False)
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()

losses, times, number = [], [], 0
print("training", flush=True)
while steps is None or number < steps:
    begun = time.perf_counter()
    batch, target = batches[number % len(batches)]
    inputs.copy_(batch)
    targets.copy_(target)
    graph.replay()
    value = loss.item()
    if steps is not None:
        losses.append(value)
        times.append(time.perf_counter() - begun)
    number += 1
    if steps is not None and number % 50 == 0 and os.path.exists(f"{sys.argv[2]}.end"):
        break

if len(sys.argv) > 2:
    with open(sys.argv[2], "w") as file:
        json.dump({"losses": losses, "times": times}, file)
