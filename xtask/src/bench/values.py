"""Trains a model: `values.py small|large cpu|cuda|replays`. Prints the nanoseconds of a step and the most memory the process had."""

import resource
import sys
import time

import torch
from torch import nn

size, where = sys.argv[1:]
device = "cpu" if where == "cpu" else "cuda"
STEPS = 10

torch.manual_seed(0)
if size == "small":
    # Some two hundred small operators forward: a transformer, whose operators take microseconds each.
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
    model = nn.Sequential(
        nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(64, 64)
    )
    x, y = torch.randn(8, 32, 64), torch.randn(8, 32, 64)
else:
    # Few operators that take milliseconds each.
    layers = [nn.Linear(2048, 2048), nn.ReLU()] * 4
    model = nn.Sequential(nn.Conv2d(8, 32, 3, padding=1), nn.ReLU(), nn.Flatten(2), *layers)
    x, y = torch.randn(4, 8, 32, 64), torch.randn(4, 32, 2048)
model, x, y = model.to(device), x.to(device), y.to(device)
optimizer = torch.optim.AdamW(model.parameters(), capturable=where == "replays")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def warm_up():
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)


if where == "replays":
    warm_up()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def step():
        graph.replay()
        return loss

else:
    for _ in range(3):
        step()
step().item()
start = time.perf_counter_ns()
for _ in range(STEPS):
    loss = step()
loss.item()
nanoseconds = (time.perf_counter_ns() - start) // STEPS
print(nanoseconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
