# --- the rate of an optimizer grows in eager steps, and the graph is captured behind them
import torch
from torch import nn

WARM_UP = 4

net = nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4, device="cuda")
graph = None


def step():
    optimizer.zero_grad(set_to_none=True)
    net(x).square().mean().backward()
    optimizer.step()


stream = torch.cuda.Stream()
for k in range(10):
    if k < WARM_UP:
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * (k + 1) / WARM_UP
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step()
        torch.cuda.current_stream().wait_stream(stream)
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            step()
    graph.replay()
# --- the rate goes on changing between the replays
import torch
from torch import nn

WARM_UP = 4

net = nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(8, 4, device="cuda")
graph = None


def step():
    optimizer.zero_grad(set_to_none=True)
    net(x).square().mean().backward()
    optimizer.step()  # cgsan: CG205


stream = torch.cuda.Stream()
for k in range(10):
    if k < WARM_UP:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step()
        torch.cuda.current_stream().wait_stream(stream)
        continue
    for group in optimizer.param_groups:
        group["lr"] = 0.1 * 0.5 ** (k - WARM_UP)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            step()
    graph.replay()
# --- a decay grows to its end in eager calls of a method
import torch


class Average:
    def __init__(self, end):
        self.x = torch.zeros(4, device="cuda")
        self.mean = torch.zeros(4, device="cuda")
        self.decay, self.end, self.graph = 0.0, end, None

    def update(self):
        self.mean.lerp_(self.x, 1 - self.decay)

    def step(self, value):
        self.x.fill_(value)
        if self.decay < self.end:
            self.decay += 0.25
            self.update()
        elif self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.update()
            self.graph.replay()
        else:
            self.graph.replay()


average = Average(0.5)
for k in range(8):
    average.step(float(k))
# --- a decay that is moved beside the replays as well
import torch


class Average:
    def __init__(self, end):
        self.x = torch.zeros(4, device="cuda")
        self.mean = torch.zeros(4, device="cuda")
        self.decay, self.end, self.graph = 0.0, end, None

    def update(self):
        self.mean.lerp_(self.x, 1 - self.decay)  # cgsan: CG205

    def step(self, value):
        self.x.fill_(value)
        if self.decay < self.end:
            self.decay += 0.25
            self.update()
        elif self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.update()
            self.graph.replay()
        else:
            self.decay += 0.01
            self.graph.replay()


average = Average(0.5)
for k in range(8):
    average.step(float(k))
# --- a temperature that is lowered in the first turns, and replays behind an `if` of their own
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.temperature = 4.0

    def forward(self, x):
        return (self.linear(x) / self.temperature).softmax(-1)


router = Router().cuda().eval()
x = torch.zeros(2, 4, device="cuda")
graph = None
with torch.no_grad():
    for step in range(12):
        x.copy_(torch.randn(2, 4))
        if step < 4:
            router.temperature = 4.0 - step
            y = router(x)
        elif graph is None:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = router(x)
        if graph is not None:
            graph.replay()
        print(y.sum().item())
# --- a temperature that is lowered in the last turns, with a graph of the first ones
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.temperature = 4.0

    def forward(self, x):
        return (self.linear(x) / self.temperature).softmax(-1)  # cgsan: CG205


router = Router().cuda().eval()
x = torch.zeros(2, 4, device="cuda")
graph = None
with torch.no_grad():
    for step in range(12):
        x.copy_(torch.randn(2, 4))
        if step >= 4:
            router.temperature = 12.0 - step
        elif graph is None:
            router(x)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = router(x)
        graph.replay()
        print(y.sum().item())
# --- a scale that follows the loss, which may rise again
import torch

x = torch.ones(8, device="cuda")
graph = None


class Scaler:
    def __init__(self):
        self.scale = 1.0

    def apply(self):
        x.mul_(self.scale)  # cgsan: CG205


scaler = Scaler()
for k in range(10):
    loss = x.sum().item()
    if loss > 4:
        scaler.scale = 0.5
        scaler.apply()
    elif graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            scaler.apply()
    else:
        graph.replay()
# --- a name that grows to its end before the capture
import torch

x = torch.ones(4, device="cuda")
rate, graph = 0.0, None
for step in range(10):
    if rate < 0.5:
        rate = rate + 0.2
        x.mul_(rate)
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            x.mul_(rate)
    graph.replay()
# --- a name that grows behind the capture as well
import torch

x = torch.ones(4, device="cuda")
rate, graph = 0.0, None
for step in range(10):
    if rate < 0.5:
        rate = rate + 0.2
        x.mul_(rate)
        continue
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            x.mul_(rate)  # cgsan: CG205
    graph.replay()
    rate = rate + 0.1
