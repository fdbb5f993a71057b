# --- gradients are accumulated by hand
import torch

model = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(x).sum()
    loss.backward()
kept = []
for _ in range(4):
    graph.replay()
    kept.append([parameter.grad for parameter in model.parameters()])  # cgsan: CG218
# --- a history by step
import torch


class Trainer:
    def __init__(self):
        self.weight = torch.nn.Parameter(torch.ones(8, device="cuda"))
        self.graph = torch.cuda.CUDAGraph()
        self.history = []
        with torch.cuda.graph(self.graph):
            (self.weight**2).sum().backward()

    def fit(self):
        for _ in range(4):
            self.graph.replay()
            self.history.append(self.weight.grad)  # cgsan: CG218


Trainer().fit()
# --- with `+=`
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * 3).sum().backward()
gradients = []
for _ in range(4):
    graph.replay()
    gradients += [weight.grad]  # cgsan: CG218
# --- silent: sums and copies
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * 3).sum().backward()
total = torch.zeros(8, device="cuda")
norms = []
for _ in range(4):
    graph.replay()
    total += weight.grad
    norms.append(weight.grad.norm())
    norms.append(weight.grad.detach().clone())
# --- silent: gradients are looked up after the replays, once in each turn of a loop
import torch

model = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    model(x).sum().backward()
torch.cuda.current_stream().wait_stream(side)
model.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x).sum().backward()
sums = [torch.zeros_like(it) for it in model.parameters()]
for _ in range(3):
    for _ in range(4):
        graph.replay()
        torch._foreach_add_(sums, [it.grad for it in model.parameters()])
    torch._foreach_copy_([it.grad for it in model.parameters()], sums)
# --- the one before, of a graphed callable
import torch

net = torch.cuda.make_graphed_callables(
    torch.nn.LayerNorm(4).cuda(), (torch.rand(2, 4, device="cuda"),)
)
previous = None
for _ in range(4):
    net.zero_grad(set_to_none=True)
    net(torch.rand(2, 4, device="cuda")).square().sum().backward()
    current = net.weight.grad
    if previous is not None:
        print("agreement", torch.dot(current, previous).item())
    previous = current  # cgsan: CG218
# --- by their names, of two batches
import torch

net = torch.nn.LayerNorm(8).cuda()
x = torch.randn(4, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    net(x).square().sum().backward()
torch.cuda.current_stream().wait_stream(side)
net.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    net(x).square().sum().backward()


def gradients_for(batch):
    x.copy_(batch)
    graph.replay()
    return {name: it.grad for name, it in net.named_parameters()}  # cgsan: CG218


first = gradients_for(torch.randn(4, 8, device="cuda"))
second = gradients_for(torch.randn(4, 8, device="cuda"))
print(torch.dot(first["weight"], second["weight"]).item())
# --- silent: an average of its own
import torch

net = torch.cuda.make_graphed_callables(
    torch.nn.LayerNorm(4).cuda(), (torch.rand(2, 4, device="cuda"),)
)
average = torch.zeros(4, device="cuda")
for _ in range(4):
    net.zero_grad(set_to_none=True)
    net(torch.rand(2, 4, device="cuda")).square().sum().backward()
    current = net.weight.grad
    print("agreement", torch.dot(current, average).item())
    average.lerp_(current, 0.1)
