# --- a trainer's whole step is captured
import torch


class Trainer:
    def __init__(self):
        self.model = torch.nn.LayerNorm(8).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def step(self, x):
        self.optimizer.zero_grad(set_to_none=True)
        self.model(x).sum().backward()
        self.optimizer.step()  # cgsan: CG129


trainer = Trainer()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    trainer.step(x)
# --- chosen by a function, with its options in a dictionary
import torch
from torch import optim

OPTIONS = {"lr": 1e-3, "foreach": True}


def make(parameters):
    return optim.NAdam(parameters, **OPTIONS)


weight = torch.nn.Parameter(torch.ones(8, device="cuda"))
optimizer = make([weight])
weight.grad = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()  # cgsan: CG129
# --- told so by name, in a capture by hand
import torch
from torch.optim import Adam

weight = torch.ones(8, device="cuda", requires_grad=True)
adam = Adam(params=[weight], capturable=False)
weight.grad = torch.ones_like(weight)
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    adam.step()  # cgsan: CG129
    graph.capture_end()
# --- one of several in a list
import torch

layers = [torch.nn.LayerNorm(8).cuda() for _ in range(2)]
optimizers = [
    torch.optim.SGD(layers[0].parameters(), lr=0.1),
    torch.optim.RMSprop(layers[1].parameters()),
]
x = torch.ones(4, 8, device="cuda")
for layer in layers:
    layer(x).sum().backward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for optimizer in optimizers:
        optimizer.step()  # cgsan: CG129
# --- silent: capturable, or without a step count
import torch

model = torch.nn.LayerNorm(8).cuda()
adam = torch.optim.Adam(model.parameters(), capturable=True)
sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(4, 8, device="cuda")
model(x).sum().backward()
adam.step()
sgd.step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    adam.step()
    sgd.step()
# --- silent: the step is taken outside the graph
import torch

model = torch.nn.LayerNorm(8).cuda()
optimizer = torch.optim.Adam(model.parameters())
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(x).sum()
    loss.backward()
for _ in range(3):
    graph.replay()
    optimizer.step()
