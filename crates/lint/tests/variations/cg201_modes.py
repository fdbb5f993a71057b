# --- captured in training mode, replayed in evaluation
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))

    def forward(self, x):
        y = x * self.weight
        if self.training:  # cgsan: CG201
            y = nn.functional.dropout(y)
        return y


model = Model().cuda()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
model.eval()
graph.replay()
# --- the same of a module of PyTorch's
import torch
from torch import nn

model = nn.Sequential(nn.LayerNorm(8), nn.Dropout(0.1)).cuda().train()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)  # cgsan: CG201
model.train(False)
for _ in range(3):
    graph.replay()
# --- a mode that is a text, and changes in each iteration
import torch


class Shader:
    def __init__(self):
        self.mode = "flat"
        self.x = torch.ones(8, device="cuda")

    def shade(self):
        if self.mode == "flat":  # cgsan: CG201
            return self.x * 1.0
        return self.x * 2.0


shader = Shader()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = shader.shade()
for mode in ("flat", "round"):
    shader.mode = mode
    graph.replay()
# --- matched, and set by the method that replays
import torch


class Filter:
    def __init__(self):
        self.kind = "low"
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()

    def step(self):
        match self.kind:  # cgsan: CG201
            case "low":
                return self.x * 0.5
            case _:
                return self.x * 2.0

    def run(self, kind):
        self.kind = kind
        self.graph.replay()
        return self.y.clone()


filters = Filter()
for kind in ("low", "high"):
    filters.run(kind)
# --- as many rounds as an attribute says
import torch


class Solver:
    def __init__(self, rounds=2):
        self.rounds = rounds
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.sweep()

    def sweep(self):
        for _ in range(self.rounds):  # cgsan: CG201
            self.x.add_(1)

    def solve(self, rounds):
        self.rounds = rounds
        self.graph.replay()


solver = Solver()
for rounds in (2, 8, 32):
    solver.solve(rounds)
# --- silent: trained eagerly, and back in evaluation before each replay
import torch
from torch import nn

model = nn.Sequential(nn.LayerNorm(8), nn.Dropout(0.1)).cuda()
x = torch.ones(4, 8, device="cuda")
model.eval()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
for _ in range(3):
    model.train()
    model(x).sum().backward()
    model.eval()
    graph.replay()
# --- silent: validated eagerly between replays of a training step
import torch
from torch import nn

model = nn.Sequential(nn.LayerNorm(8), nn.Dropout(0.1)).cuda().train()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
for epoch in range(3):
    graph.replay()
    model.eval()
    print(model(x).sum().item())
# --- silent: one graph for each mode
import torch
from torch import nn

model = nn.Sequential(nn.LayerNorm(8), nn.Dropout(0.1)).cuda()
x = torch.ones(4, 8, device="cuda")
train, evaluate = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
model.train()
with torch.no_grad(), torch.cuda.graph(train):
    y = model(x)
model.eval()
with torch.no_grad(), torch.cuda.graph(evaluate):
    z = model(x)
for step in range(4):
    train.replay()
    if step % 2:
        evaluate.replay()
# --- silent: a flag that says that a capture runs, and the mode of other work
import torch


class Runner:
    def __init__(self):
        self.is_capturing = False
        self.phase = "warm"
        self.x = torch.ones(8, device="cuda")

    def step(self):
        if self.is_capturing:
            return self.x * 2
        if self.phase == "warm":
            return self.x * 3
        return self.x + 1

    def capture(self):
        self.is_capturing = True
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()
        self.is_capturing = False
        self.phase = "hot"

    def run(self):
        self.phase = "replayed"
        self.graph.replay()
        self.phase = "idle"
        return self.y.clone()


runner = Runner()
runner.capture()
for _ in range(3):
    runner.run()
# --- silent: set to what it was
import torch


class Runner:
    def __init__(self):
        self.mode = "fast"
        self.rounds = 2
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()

    def step(self):
        y = self.x
        if self.mode == "fast":
            for _ in range(self.rounds):
                y = y * 2
        return y


runner = Runner()
for mode in ("slow", "fast"):
    runner.mode = mode
    runner.rounds = 3
    print(runner.step().sum().item())
    runner.mode = "fast"
    runner.rounds = 2
    runner.graph.replay()
# --- silent: captured anew for another mode
import torch


class Runner:
    def __init__(self, mode):
        self.x = torch.ones(8, device="cuda")
        self.set_mode(mode)

    def step(self):
        return self.x * 2 if self.mode == "double" else self.x + 1

    def set_mode(self, mode):
        self.mode = mode
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()

    def run(self):
        self.graph.replay()
        return self.y.clone()


runner = Runner("double")
runner.run()
runner.set_mode("single")
runner.run()
# --- silent: a number is another one for the capture, and put back behind it
import torch


class Solver:
    def __init__(self):
        self.rounds = 400

    def solve(self, x):
        for _ in range(self.rounds):
            x = x * 0.5
        return x


class Runner:
    def __init__(self, solver):
        self.solver = solver
        self.x = torch.ones(8, device="cuda")

    def capture(self, rounds):
        kept = self.solver.rounds
        self.solver.rounds = rounds
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.solver.solve(self.x)
        self.solver.rounds = kept

    def __call__(self, x):
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()


runner = Runner(Solver())
runner.capture(10)
runner.solver.rounds = 200
print(runner(torch.rand(8, device="cuda")))
