# --- features are taken out of a graphed backbone
import torch

backbone = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
backbone = torch.cuda.make_graphed_callables(backbone, (torch.ones(4, 8, device="cuda"),))
features = []


def keep(module, inputs, output):
    features.append(output)


backbone[1].register_forward_hook(keep)  # cgsan: CG213
# --- all parts are hooked in a loop
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.second(self.first(x))


def watch(module):
    for name, part in module.named_modules():
        part.register_full_backward_hook(print)  # cgsan: CG213


net = torch.cuda.make_graphed_callables(Net().cuda(), (torch.ones(4, 8, device="cuda"),))
watch(net)
# --- an attribute of a module that a trainer holds
import torch
from torch.cuda import make_graphed_callables


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.head(x)


class Trainer:
    def __init__(self):
        self.net = make_graphed_callables(Net().cuda(), (torch.ones(4, 8, device="cuda"),))

    def watch(self):
        self.net.head.register_forward_pre_hook(lambda module, inputs: None)  # cgsan: CG213


Trainer().watch()
# --- silent: the graphed module itself is hooked
import torch

net = torch.nn.Sequential(torch.nn.Linear(8, 8)).cuda()
net = torch.cuda.make_graphed_callables(net, (torch.ones(4, 8, device="cuda"),))
net.register_forward_hook(lambda module, inputs, output: None)
# --- silent: a module that is not graphed
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.first(x)


plain, other = Net().cuda(), Net().cuda()
graphed = torch.cuda.make_graphed_callables(other, (torch.ones(4, 8, device="cuda"),))
plain.first.register_forward_hook(lambda module, inputs, output: None)
# --- silent: each layer is graphed by itself, and its own hooks run
import torch

layers = torch.nn.ModuleList(torch.nn.LayerNorm(8) for _ in range(3)).cuda()
samples = tuple((torch.ones(4, 8, device="cuda", requires_grad=True),) for _ in layers)
graphed = torch.cuda.make_graphed_callables(tuple(layers), samples)
for layer in graphed:
    layer.register_forward_hook(print)
# --- looked up by its path
import torch

seen = []
net = torch.nn.Sequential()
net.add_module("stem", torch.nn.LayerNorm(8))
net.add_module("act", torch.nn.GELU())
net = torch.cuda.make_graphed_callables(net.cuda(), (torch.rand(2, 8, device="cuda"),))
net.get_submodule("act").register_forward_hook(lambda *_: seen.append(1))  # cgsan: CG213
net.get_submodule("").register_forward_hook(lambda *_: seen.append(2))
