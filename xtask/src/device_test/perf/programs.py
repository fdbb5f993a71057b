"""Ten programs whose steps a graph speeds up, or does not.

    python programs.py NAME SECONDS

Runs the program's steps for some seconds as it is, and then as one graph, and prints both durations of a step in microseconds as a line
of JSON. Each is the median of rounds of some 20 ms, without waiting for the GPU within a round unless the program does.
"""

import json
import statistics
import sys
import time

import torch
from torch import nn

# Microseconds of a round, and for how many seconds the graph is measured.
ROUND = 20_000
GRAPHED = 0.5


def mlp(batch):
    """Inference with a small MLP."""
    model = nn.Sequential(*(nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range(8))).cuda()
    x = torch.randn(batch, 512, device="cuda")

    @torch.no_grad()
    def step():
        return model(x)

    return step, step


class Block(nn.Module):
    """A block of a transformer."""

    def __init__(self, width=1024, heads=16):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.first(x)).chunk(3, dim=-1)
        shape = (batch, length, self.heads, width // self.heads)
        q, k, v = (it.view(shape).transpose(1, 2) for it in (q, k, v))
        attended = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(nn.functional.gelu(self.wide(self.second(x))))


def transformer(batch):
    """Inference with four blocks in half precision."""
    model = nn.Sequential(*(Block() for _ in range(4))).cuda().half()
    x = torch.randn(batch, 64, 1024, device="cuda").half()

    @torch.no_grad()
    def step():
        return model(x)

    return step, step


def training():
    """A whole training step of a small model."""
    model = nn.Sequential(*(nn.Sequential(nn.Linear(256, 256), nn.GELU()) for _ in range(6))).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, capturable=True)
    x = torch.randn(64, 256, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=False)
        model(x).square().mean().backward()
        optimizer.step()

    return step, step


def optimizer():
    """An optimizer with many small tensors, one by one."""
    parameters = [torch.randn(64, device="cuda", requires_grad=True) for _ in range(100)]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    sgd = torch.optim.SGD(parameters, lr=1e-4, momentum=0.9, foreach=False)
    return sgd.step, sgd.step


def small_graphs():
    """Many small graphs in each step, with a little eager work between them."""
    x = torch.randn(256, device="cuda")
    parts = []

    def part():
        for _ in range(3):
            x.mul_(0.999).add_(0.001)

    part()
    torch.cuda.synchronize()
    for _ in range(40):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            part()
        parts.append(graph)

    def step():
        for graph in parts:
            graph.replay()
            x.clamp_(-10, 10)

    def whole():
        for _ in parts:
            part()
            x.clamp_(-10, 10)

    return step, whole


def input_copies():
    """A small graph behind large copies of its inputs from the host."""
    sources = [torch.randn(4 << 20).pin_memory() for _ in range(2)]
    inputs = [torch.empty(4 << 20, device="cuda") for _ in sources]
    out = torch.empty(4 << 20, device="cuda")

    def compute():
        torch.add(inputs[0], inputs[1], out=out)
        out.mul_(0.5)

    compute()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        compute()

    def copy():
        for source, there in zip(sources, inputs, strict=True):
            there.copy_(source, non_blocking=True)

    def step():
        copy()
        graph.replay()

    def whole():
        copy()
        compute()

    return step, whole


def hooks():
    """Training whose gradients pass through hooks."""
    model = nn.Sequential(*(nn.Linear(256, 256) for _ in range(12))).cuda()
    for parameter in model.parameters():
        parameter.register_hook(lambda gradient: gradient * 0.5)
        parameter.grad = torch.zeros_like(parameter)
    x = torch.randn(64, 256, device="cuda")

    def step():
        for parameter in model.parameters():
            parameter.grad.zero_()
        model(x).square().mean().backward()

    return step, step


def streams():
    """More streams at once than the device has connections."""
    here = [torch.cuda.Stream() for _ in range(24)]
    tensors = [torch.randn(1 << 16, device="cuda") for _ in here]

    def step():
        current = torch.cuda.current_stream()
        for stream, x in zip(here, tensors, strict=True):
            stream.wait_stream(current)
            with torch.cuda.stream(stream):
                for _ in range(4):
                    x.mul_(0.999).add_(0.001)
        for stream in here:
            current.wait_stream(stream)

    return step, step


PROGRAMS = {
    "mlp_1": lambda: mlp(1),
    "mlp_512": lambda: mlp(512),
    "transformer_1": lambda: transformer(1),
    "transformer_512": lambda: transformer(512),
    "training": training,
    "optimizer": optimizer,
    "small_graphs": small_graphs,
    "input_copies": input_copies,
    "hooks": hooks,
    "streams": streams,
}


def capture(step):
    """The step as one graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def microseconds(step, times):
    """What a step takes, as the mean of so many."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(times):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / times * 1e6


def rounds(step, seconds):
    """The same in rounds, for so many seconds: the median."""
    for _ in range(5):
        step()
    times = max(3, round(ROUND / microseconds(step, 3)))
    end = time.perf_counter() + seconds
    taken = []
    while time.perf_counter() < end:
        taken.append(microseconds(step, times))
    return statistics.median(taken)


def main():
    name, seconds = sys.argv[1], float(sys.argv[2])
    torch.manual_seed(0)
    step, whole = PROGRAMS[name]()
    eager = rounds(step, seconds)
    graphed = rounds(capture(whole), GRAPHED)
    print(json.dumps({"name": name, "eager_us": eager, "graphed_us": graphed}))


main()
