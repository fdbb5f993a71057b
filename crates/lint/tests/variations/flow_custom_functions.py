# --- the backward of a custom function reads a number
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, limit):
        ctx.limit = limit
        return value * 1.0

    @staticmethod
    def backward(ctx, grad):
        if grad.abs().amax() > ctx.limit:  # cgsan: CG101
            grad = grad / 2
        return grad, None


w = torch.ones(8, device="cuda", requires_grad=True)
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    Clip.apply(w, 1e9).sum().backward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    Clip.apply(w, 1e9).sum().backward()
# --- the forward of a custom function with `setup_context`, called through a name
import torch
from torch.autograd import Function


class Scale(Function):
    @staticmethod
    def forward(value):
        return value / value.max().item()  # cgsan: CG101

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (value,) = ctx.saved_tensors
        return grad * value


scale = Scale.apply
w = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = scale(w)
# --- what was saved for the backward is on the host
import torch


class Mask(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, mask):
        ctx.save_for_backward(mask)
        return value.clone()

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return grad * mask.cuda(), None  # cgsan: CG102


w = torch.ones(32, device="cuda", requires_grad=True)
mask = torch.ones(32)
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    torch.autograd.grad(Mask.apply(w, mask).sum(), w)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (gradient,) = torch.autograd.grad(Mask.apply(w, mask).sum(), w)
# --- `make_graphed_callables` captures the backward, too
import torch


class Check(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, grad):
        assert torch.isfinite(grad).all()  # cgsan: CG101
        return grad


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)

    def forward(self, x):
        return Check.apply(self.inner(x))


net = torch.cuda.make_graphed_callables(Net().cuda(), (torch.ones(4, 8, device="cuda"),))
# --- a module that calls a custom function with automatic mixed precision
import torch


class Normalize(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda")
    def forward(ctx, x):
        norm = x.norm()
        ctx.norm = float(norm)  # cgsan: CG101
        return x / norm

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        return grad / ctx.norm


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(8))

    def forward(self, x):
        return Normalize.apply(self.weight * x)


net = Net().cuda()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- silent: the backward runs after the capture
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad / grad.abs().amax().item()


w = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = Clip.apply(w) * 2
graph.replay()
Clip.apply(w).sum().backward()
# --- silent: no gradient flows through what the function was applied to
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad / grad.abs().amax().item()


x = torch.ones(8, device="cuda")
w = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = Clip.apply(x)
    (w * y).sum().backward()
# --- silent: the result is detached before the loss
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value * 1.0

    @staticmethod
    def backward(ctx, grad):
        (value,) = ctx.saved_tensors
        return grad / value.abs().amax().item()


w = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = Clip.apply(w).detach()
    (w * y).sum().backward()
# --- silent: a class of another library with `apply`
import torch


class Pipeline:
    @staticmethod
    def forward(ctx, value):
        return value.item()

    @classmethod
    def apply(cls, value):
        return value * 2


w = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = Pipeline.apply(w)
# --- what its forward gives is a buffer that an object keeps
import torch


class Distance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, out):
        out.copy_(x.square().sum(dim=-1))
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad.unsqueeze(-1), None


class Cost:
    def __init__(self):
        self.out = torch.empty(16, device="cuda")

    def __call__(self, x):
        return Distance.apply(x, self.out)


def record(cost, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        total = torch.sum(cost(x))
    return graph, total


cost = Cost()
x = torch.zeros(16, 3, device="cuda")
graph, total = record(cost, x)
graph.replay()
# --- the same, with a buffer that only the function knew
import torch


class Distance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, out):
        out.copy_(x.square().sum(dim=-1))  # cgsan: CG209
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad.unsqueeze(-1), None


class Cost:
    def __init__(self):
        self.out = torch.empty(16, device="cuda")

    def __call__(self, x):
        return Distance.apply(x, self.out)


def record(cost, x):
    scratch = torch.empty(16, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        total = torch.sum(Distance.apply(x, scratch))
    return graph, total


cost = Cost()
x = torch.zeros(16, 3, device="cuda")
graph, total = record(cost, x)
graph.replay()
