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
# --- one of two groups is not capturable
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8)).cuda()
groups = [
    {"params": net[0].parameters(), "capturable": True},
    {"params": net[1].parameters()},
]
optimizer = torch.optim.AdamW(groups)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()  # cgsan: CG129
# --- a group that is added later
import torch
from torch import nn

first, second = nn.Linear(8, 8).cuda(), nn.Linear(8, 8).cuda()
optimizer = torch.optim.Adam(first.parameters(), capturable=True)
optimizer.param_groups[0]["lr"] = 0.1
optimizer.add_param_group({"params": second.parameters(), "capturable": False})
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()  # cgsan: CG129
# --- several classes in a loop, one of which has no such state
import torch
from torch import nn

net = nn.Linear(8, 8).cuda()
for kind in (torch.optim.SGD, torch.optim.RMSprop, torch.optim.NAdam):
    optimizer = kind(net.parameters(), lr=0.1)
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        optimizer.step()  # cgsan: CG129
# --- groups that are made capturable before the capture
import torch
from torch import nn

net = nn.Linear(8, 8).cuda()
set_in_loop = torch.optim.AdamW(net.parameters())
for group in set_in_loop.param_groups:
    group["capturable"] = True
updated = torch.optim.AdamW(net.parameters())
updated.param_groups[0].update(capturable=True)
in_groups = torch.optim.AdamW(
    [{"params": [parameter], "capturable": True} for parameter in net.parameters()]
)
options = {"lr": 0.1}
options.setdefault("capturable", True)
by_options = torch.optim.Adam(net.parameters(), **options)
loaded = torch.optim.Adam(net.parameters())
loaded.load_state_dict(by_options.state_dict())
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    set_in_loop.step()
    updated.step()
    in_groups.step()
    by_options.step()
    loaded.step()
