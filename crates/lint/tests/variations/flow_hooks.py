# --- a hook before the forward of a module
import torch

net = torch.nn.Linear(8, 8).cuda()
net.register_forward_pre_hook(lambda module, inputs: print(inputs[0].mean()))  # cgsan: CG101
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- a hook after the gradient was accumulated
import torch

w = torch.ones(8, device="cuda", requires_grad=True)


@w.register_post_accumulate_grad_hook
def check(parameter):
    assert not parameter.grad.isnan().any()  # cgsan: CG101


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (w * 2).sum().backward()
# --- the second of two hooks of a module of the program
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.inner(x)


def double(module, inputs, output):
    return output * 2


def log(module, inputs, output):
    print(output.sum().item())  # cgsan: CG101


net = Net().cuda()
net.register_forward_hook(double)
net.register_forward_hook(log)
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- a hook of a tensor that the loss is made of
import torch

w = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    hidden = w * 2
    hidden.register_hook(lambda grad: print(grad.norm()))  # cgsan: CG101
    torch.cat([hidden, hidden]).sum().backward()
# --- silent: the hooks were removed before the capture
import torch

net = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
handles = [
    net.register_forward_hook(lambda module, inputs, output: print(output.sum().item())),
    net.register_full_backward_hook(lambda module, inputs, outputs: print(outputs[0].sum().item())),
]
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    net(x).sum().backward()
for handle in handles:
    handle.remove()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    net(x).sum().backward()
# --- silent: the hook is of a tensor that the loss is not made of
import torch

w = torch.ones(8, device="cuda", requires_grad=True)
other = torch.ones(8, device="cuda", requires_grad=True)
other.register_hook(lambda grad: print(grad.norm().item()))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (w * 2).sum().backward()
# --- silent: `forward` itself runs no hooks
import torch

net = torch.nn.Linear(8, 8).cuda()
net.register_forward_hook(lambda module, inputs, output: print(output.sum().item()))
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net.forward(x)
# --- silent: a backward hook, and no backward in the capture
import torch

net = torch.nn.Linear(8, 8).cuda()
net.register_full_backward_hook(lambda module, inputs, outputs: print(outputs[0].sum().item()))
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- silent: hooks of state dictionaries
import torch

net = torch.nn.Linear(8, 8).cuda()
net.register_state_dict_post_hook(lambda module, state, prefix, local: torch.cuda.synchronize())
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- a hook of an optimizer
import torch

w = torch.ones(8, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.register_step_pre_hook(lambda *args: print(w.grad.norm().item()))  # cgsan: CG101
w.grad = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.step()
# --- a hook on each child, made by a function that makes hooks
import torch


def guard(name):
    def hook(module, inputs, output):
        assert not torch.isnan(output).any(), name  # cgsan: CG101

    return hook


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.second(self.first(x))


net = Net().cuda()
for name, child in net.named_children():
    child.register_forward_hook(guard(name))
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- a hook on each parameter of a model of several layers
import torch


class Clipper:
    def __init__(self, net):
        for parameter in net.parameters():
            parameter.register_hook(self.clip)

    def clip(self, grad):
        return grad / float(grad.norm())  # cgsan: CG101


net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
clipper = Clipper(net)
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    net(x).sum().backward()
# --- silent: hooks of parameters fork a stream inside the captured backward
import torch


class Scaler:
    def __init__(self, params):
        self.side = torch.cuda.Stream()
        self.handles = [it.register_post_accumulate_grad_hook(self.scale) for it in params]

    def scale(self, parameter):
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            parameter.grad.mul_(0.5)

    def finish(self):
        torch.cuda.current_stream().wait_stream(self.side)


net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda()
scaler = Scaler(net.parameters())
x = torch.ones(16, 8, device="cuda")


def step():
    net.zero_grad(set_to_none=True)
    net(x).mean().backward()
    scaler.finish()


warm = torch.cuda.Stream()
warm.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(warm):
    step()
    step()
torch.cuda.current_stream().wait_stream(warm)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
# --- silent: hooks that were made in a comprehension are removed in a loop
import torch

net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
handles = [
    part.register_forward_hook(lambda module, inputs, output: print(output.sum().item()))
    for part in net
]
x = torch.ones(4, 8, device="cuda")
net(x)
for handle in handles:
    handle.remove()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
