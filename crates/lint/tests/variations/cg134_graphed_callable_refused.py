# --- a keyword at a call
import torch

bias = torch.ones(8, device="cuda", requires_grad=True)
x = torch.ones(4, 8, device="cuda")


def shift(x, bias):
    return torch.relu(x + bias)


shift = torch.cuda.make_graphed_callables(shift, (x, bias))
shift(x, bias=bias)  # cgsan: CG134
# --- None at a call, in an object
import torch


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, mask):
        hidden = self.body(x)
        return hidden if mask is None else hidden * mask


class Trainer:
    def __init__(self, model):
        self.x = torch.ones(4, 8, device="cuda")
        mask = torch.ones(4, 1, device="cuda")
        self.model = torch.cuda.make_graphed_callables(model, (self.x, mask))

    def step(self, mask=None):
        return self.model(self.x, mask)  # cgsan: CG134


trainer = Trainer(Masked().cuda())
trainer.step()
# --- a number among the samples
import torch


def scale(x, factor):
    return x * factor


x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(scale, (x, 2.0))  # cgsan: CG134
# --- a trained buffer of a part
import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("factor", torch.ones(8, requires_grad=True))

    def forward(self, x):
        return x * self.factor


x = torch.ones(4, 8, device="cuda")
model = torch.nn.Sequential(torch.nn.Linear(8, 8), Scale()).cuda()
model = torch.cuda.make_graphed_callables(model, (x,))  # cgsan: CG134
# --- a function hides the module
import torch

layer = torch.nn.Linear(8, 8, device="cuda")


def forward(x):
    return torch.relu(layer(x))


x = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(forward, (x,))  # cgsan: CG134
# --- an unused part of a part
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Conv1d(8, 8, 1)

    def forward(self, x):
        return self.body(x)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.head = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.block(x))


x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(Model().cuda(), (x,))  # cgsan: CG134
# --- trained after graphing without gradients
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 8, device="cuda")
with torch.no_grad():
    model = torch.cuda.make_graphed_callables(model, (x,))
for _ in range(3):
    loss = model(x).square().mean()
    loss.backward()  # cgsan: CG134
    optimizer.step()
# --- the older weight norm
import torch

layer = torch.nn.utils.weight_norm(torch.nn.Linear(8, 8).cuda())
x = torch.ones(4, 8, device="cuda")
layer = torch.cuda.make_graphed_callables(layer, (x,))  # cgsan: CG134
# --- silent: unused inputs are allowed
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x)


x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(Model().cuda(), (x,), allow_unused_input=True)
# --- silent: graphed for inference, nothing is differentiated
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x)


x = torch.ones(4, 8, device="cuda")
model = Model().cuda().eval()
with torch.no_grad():
    model = torch.cuda.make_graphed_callables(model, (x,))
    y = model(x)
# --- silent: some parameters are frozen, by their names
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x)


x = torch.ones(4, 8, device="cuda")
model = Model().cuda()
for name, parameter in model.named_parameters():
    if name.startswith("spare"):
        parameter.requires_grad = False
model = torch.cuda.make_graphed_callables(model, (x,))
# --- silent: the weight is shared, and a function of the weight alone is used
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 8)
        self.mix = torch.nn.Linear(8, 8)
        self.embedding.weight = self.head.weight

    def forward(self, x):
        return torch.nn.functional.linear(self.embedding(x), self.mix.weight)


x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(Model().cuda(), (x,))
# --- silent: the parts are in a list, and which are used is decided elsewhere
import torch
from options import used


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        for name in used:
            x = getattr(self, name)(x)
        return x


x = torch.ones(4, 8, device="cuda", requires_grad=True)
model = torch.cuda.make_graphed_callables(Model().cuda(), (x,))
# --- silent: in the other mode the module itself is called, with None
import torch


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x, mask):
        hidden = self.body(x)
        return hidden if mask is None else hidden * mask


x = torch.ones(4, 8, device="cuda")
mask = torch.ones(4, 1, device="cuda")
model = torch.cuda.make_graphed_callables(Masked().cuda(), (x, mask))
model(x, mask).sum().backward()
model.eval()
y = model(x, None)
# --- silent: a wrapper of another package takes keywords
import torch
from transformer_engine.pytorch import make_graphed_callables

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
model = make_graphed_callables(model, (x,), sample_kwargs={"scale": x})
model(x, scale=x)
# --- silent: gradients for the input alone
import torch

layer = torch.nn.Linear(8, 8, device="cuda")


def forward(x):
    return torch.relu(layer(x))


x = torch.ones(4, 8, device="cuda", requires_grad=True)
forward = torch.cuda.make_graphed_callables(forward, (x,))
forward(x).sum().backward()
# --- silent: gradients go through code that is not seen
import torch
from kernels import fused


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)

    def forward(self, x):
        return fused(x, self.body.weight, self.body.bias)


def sample(x):
    with torch.no_grad():
        x = x.clone()
        x.requires_grad = True
    return x


x = torch.ones(4, 8, device="cuda")
block = torch.cuda.make_graphed_callables(Block().cuda(), (sample(x),))
y = block(sample(x))
y.backward(torch.ones_like(y))
# --- silent: others set the mask and freeze the layer
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.spare = torch.nn.Linear(8, 2)

    def forward(self, x, mask):
        return self.body(x) * mask


class Trainer:
    def __init__(self):
        self.x = torch.ones(4, 8, device="cuda")
        self.mask = None
        self.block = Block().cuda()

    def set_mask(self, mask):
        self.mask = mask

    def freeze(self):
        self.block.spare.requires_grad_(False)

    def graph(self):
        self.graphed = torch.cuda.make_graphed_callables(self.block, (self.x, self.mask))

    def step(self):
        return self.graphed(self.x, self.mask)
