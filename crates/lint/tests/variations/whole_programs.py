# --- silent: an asynchronous server
import asyncio

import torch


class Engine:
    def __init__(self, model):
        self.model = model
        self.static = torch.zeros(8, 8, device="cuda")
        self.graph = None

    @torch.inference_mode()
    def warm_up(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.out = self.model(self.static)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.out = self.model(self.static)
        self.graph = graph

    async def infer(self, batch):
        self.static.copy_(batch)
        self.graph.replay()
        await asyncio.sleep(0)
        return self.out.clone()


async def main():
    engine = Engine(torch.nn.Linear(8, 8).cuda())
    engine.warm_up()
    results = [await engine.infer(torch.ones(8, 8)) for _ in range(4)]
    print(len(results), results[0].sum().item())


asyncio.run(main())
# --- silent: decoding with a static cache
import torch


class Cache:
    def __init__(self, length):
        self.keys = torch.zeros(length, 8, device="cuda")
        self.values = torch.zeros(length, 8, device="cuda")

    def update(self, key, value, position):
        self.keys.index_copy_(0, position, key)
        self.values.index_copy_(0, position, value)
        return self.keys, self.values


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(8, 24)
        self.cache = Cache(32)

    def forward(self, x, position):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        keys, values = self.cache.update(k, v, position)
        mask = torch.arange(32, device=x.device) <= position
        scores = (q @ keys.T).masked_fill(~mask, float("-inf")).softmax(-1)
        return scores @ values


decoder = Decoder().cuda()
x = torch.zeros(1, 8, device="cuda")
position = torch.zeros(1, dtype=torch.long, device="cuda")
with torch.inference_mode():
    for _ in range(2):
        decoder(x, position)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = decoder(x, position)
tokens = []
for step in range(16):
    position.fill_(step)
    graph.replay()
    x.copy_(out)
    tokens.append(out.argmax(-1).item())
    if tokens[-1] == 0:
        break
# --- silent: a whole training step with a scaler outside
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True)
static_x = torch.randn(16, 8, device="cuda")
static_y = torch.randn(16, 1, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.mse_loss(model(static_x), static_y)
        loss.backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = torch.nn.functional.mse_loss(model(static_x), static_y)
    loss.backward()
    optimizer.step()
losses = []
for epoch in range(10):
    for batch in range(4):
        static_x.copy_(torch.randn(16, 8))
        static_y.copy_(torch.randn(16, 1))
        graph.replay()
    losses.append(loss.item())
    print(f"epoch {epoch}: {losses[-1]:.4f}")
# --- silent: a sampler with a schedule in tensors
import torch


class Sampler:
    def __init__(self, steps):
        self.sigmas = torch.linspace(1, 0, steps, device="cuda")
        self.sigma = torch.zeros((), device="cuda")
        self.x = torch.randn(1, 4, 8, 8, device="cuda")
        self.noise = torch.zeros_like(self.x)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.x.add_(self.noise * self.sigma)

    def run(self):
        for index in range(len(self.sigmas)):
            self.sigma.copy_(self.sigmas[index])
            self.noise.normal_()
            self.graph.replay()
        return self.x.cpu()


sampler = Sampler(20)
images = [sampler.run() for _ in range(2)]
# --- silent: graphs by size with a shared buffer and pool, chosen at run time
import bisect

import torch


class Runner:
    SIZES = (1, 2, 4, 8, 16)

    def __init__(self, model):
        self.model = model
        self.buffer = torch.zeros(max(self.SIZES), 8, device="cuda")
        self.outputs = {}
        self.graphs = {}
        self.pool = None

    @torch.no_grad()
    def capture(self):
        self.model(self.buffer)
        torch.cuda.synchronize()
        for size in reversed(self.SIZES):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                self.outputs[size] = self.model(self.buffer[:size])
            self.pool = self.pool or graph.pool()
            self.graphs[size] = graph

    def __call__(self, batch):
        count = batch.shape[0]
        size = self.SIZES[bisect.bisect_left(self.SIZES, count)]
        self.buffer[:count].copy_(batch)
        self.graphs[size].replay()
        return self.outputs[size][:count].clone()


runner = Runner(torch.nn.Linear(8, 8).cuda())
runner.capture()
print(runner(torch.ones(3, 8)).shape)
# --- silent: rollouts into buffers
import torch


class Rollout:
    def __init__(self, horizon, envs):
        self.observations = torch.zeros(horizon, envs, 8, device="cuda")
        self.rewards = torch.zeros(horizon, envs, device="cuda")
        self.t = 0

    def add(self, observation, reward):
        self.observations[self.t].copy_(observation)
        self.rewards[self.t].copy_(reward)
        self.t += 1


static = torch.zeros(16, 8, device="cuda")
policy = torch.nn.Linear(8, 2).cuda()
policy(static)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    logits = policy(static)
    reward = logits.max(-1).values
rollout = Rollout(8, 16)
for t in range(8):
    static.normal_()
    graph.replay()
    rollout.add(static, reward)
print(rollout.rewards.mean().item())
# --- silent: compiled with graphs, read outside
import torch


@torch.compile(mode="reduce-overhead")
def step(x):
    return (x * 2).relu().sum()


values = []
for _ in range(4):
    torch.compiler.cudagraph_mark_step_begin()
    loss = step(torch.ones(8, device="cuda"))
    values.append(loss.item())
print(values)
# --- silent: a manager of contexts that captures
import contextlib

import torch


@contextlib.contextmanager
def capture(graph, pool=None):
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        graph.capture_begin(pool=pool) if pool else graph.capture_begin()
        try:
            yield
        finally:
            graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with capture(graph):
    y = x * 2
graph.replay()
print(y.sum().item())
# --- a manager of contexts that captures, and a read in its body
import contextlib

import torch


@contextlib.contextmanager
def capture(graph):
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        graph.capture_begin()
        try:
            yield graph
        finally:
            graph.capture_end()


x = torch.ones(8, device="cuda")
with capture(torch.cuda.CUDAGraph()) as graph:
    y = x * 2
    print(y.max())  # cgsan: CG101
# --- a program that only starts what captures
# file: main.py
import argparse

from engine import Engine
from model import Net


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    engine = Engine(Net().cuda())
    engine.capture()
    for _ in range(parser.parse_args().steps):
        engine.graph.replay()


if __name__ == "__main__":
    main()
# file: engine.py
import torch


class Engine:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(4, 8, device="cuda")

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.model(self.x)


# file: model.py
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        longest = int(x.max())  # cgsan: CG101
        return x * longest


# --- silent: what is started gives another model
# file: main.py
from engine import Engine
from model import Fixed

engine = Engine(Fixed().cuda())
engine.capture()
# file: engine.py
import torch


class Engine:
    def __init__(self, model):
        self.model = model
        self.x = torch.zeros(4, 8, device="cuda")

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.model(self.x)


# file: model.py
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        longest = int(x.max())
        return x * longest


class Fixed(torch.nn.Module):
    def forward(self, x):
        return x * x.shape[0]


# --- silent: weights are filled by `torch.nn.init`, outside of autograd
import torch
from torch import nn

layer = nn.Linear(4, 4, device="cuda")
nn.init.orthogonal_(layer.weight, 0.5)
nn.init.constant_(layer.bias, 0.0)
x = torch.ones(2, 4, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    layer(x).sum().backward()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    layer(x).sum().backward()
# --- silent: a hook finds its object through a weak reference, and forks a stream that is joined later
import weakref

import torch


class Reducer:
    def __init__(self, module):
        self.stream = torch.cuda.Stream()
        this = weakref.ref(self)
        for p in module.parameters():
            p.register_post_accumulate_grad_hook(self.make(this))

    @staticmethod
    def make(this):
        def hook(p):
            this().scale(p)

        return hook

    def scale(self, p):
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            p.grad.mul_(0.5)

    def join(self):
        torch.cuda.current_stream().wait_stream(self.stream)


net = torch.nn.LayerNorm(8).cuda()
reducer = Reducer(net)
x = torch.ones(4, 8, device="cuda")


def step():
    for p in net.parameters():
        p.grad = None
    net(x).square().sum().backward()
    reducer.join()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
# --- what a weak reference leads to
import weakref

import torch


class Meter:
    def read(self, x):
        return x.item()  # cgsan: CG101


meter = Meter()
ref = weakref.ref(meter)
x = torch.ones((), device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ref().read(x)
