# --- the forward runs before the capture, the backward inside
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
output = model(x)
loss = output.square().mean()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss.backward()  # cgsan: CG108
# --- through a trainer's methods
import torch


class Trainer:
    def __init__(self):
        self.weight = torch.ones(8, device="cuda", requires_grad=True)

    def forward(self):
        return (self.weight * 2).sum()

    def backward(self, loss):
        torch.autograd.backward(loss)  # cgsan: CG108


trainer = Trainer()
loss = trainer.forward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    trainer.backward(loss)
# --- features of a backbone that was run eagerly enter a captured head
import torch

backbone = torch.nn.Linear(8, 8).cuda()
head = torch.nn.Linear(8, 1).cuda()
x = torch.ones(4, 8, device="cuda")
features = backbone(x)
head(features.detach()).sum().backward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = head(features).sum()
    loss.backward()  # cgsan: CG108
# --- gradients of a penalty, asked for with `torch.autograd.grad`
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
penalty = weight.square().sum()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (gradient,) = torch.autograd.grad(penalty, [weight])  # cgsan: CG108
# --- silent: forward and backward are captured together
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
torch.cuda.current_stream().wait_stream(side)
model.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(x).square().mean()
    loss.backward()
# --- silent: what was computed before is detached, or needs no gradient
import torch

backbone = torch.nn.Linear(8, 8).cuda()
head = torch.nn.Linear(8, 1).cuda()
x = torch.ones(4, 8, device="cuda")
with torch.no_grad():
    frozen = backbone(x)
features = backbone(x).detach()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    head(features).sum().backward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = head(features).sum() + head(frozen).sum()
    loss.backward()
# --- silent: the eager backward is over before anything is captured
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
loss = model(x).sum()
loss.backward()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
# --- silent: detached in place, and computed after gradients were turned off
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
kept = weight * 2
kept.detach_()
torch.set_grad_enabled(False)
frozen = weight * 3
torch.set_grad_enabled(True)
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    (weight * kept).sum().backward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * kept + frozen).sum().backward()
# --- gradients that are turned off in a block only
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
with torch.set_grad_enabled(False):
    frozen = weight * 3
kept = weight * 2
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * kept + frozen).sum().backward()  # cgsan: CG108
# --- gradients of a leaf alone: the node of the default stream is not on the way
import torch

backbone = torch.nn.Linear(8, 8).cuda()
w = torch.randn(8, device="cuda", requires_grad=True)
features = backbone(torch.randn(4, 8, device="cuda"))
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    score = (features * w).sum()
    (grad,) = torch.autograd.grad(score, [w])
# --- gradients of two leaves: it is on the way to one of them
import torch

v = torch.randn(8, device="cuda", requires_grad=True)
w = torch.randn(8, device="cuda", requires_grad=True)
features = v.exp()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    score = (features * w).sum()
    grads = torch.autograd.grad(score, [w, v])  # cgsan: CG108
# --- `backward` for one leaf, and for what the default stream made
import torch

v = torch.randn(8, device="cuda", requires_grad=True)
w = torch.randn(8, device="cuda", requires_grad=True)
features = v.exp()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    (features * w).sum().backward(inputs=[w])
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    (features * w).sum().backward(inputs=[features])  # cgsan: CG108
# --- the loss of the warm-up is still there, under the name that the capture gives its own
import torch

net = torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
for _ in range(3):
    net.zero_grad(set_to_none=True)
    loss = net(x).square().mean()
    loss.backward()
net.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = net(x).square().mean()
    loss.backward()  # cgsan: CG108
# --- as an attribute, and in a list of a function that waits
import torch


class Trainer:
    def __init__(self):
        self.net = torch.nn.Linear(4, 1).cuda()
        self.x = torch.randn(8, 4, device="cuda")

    def step(self):
        self.net.zero_grad(set_to_none=True)
        loss = self.net(self.x).square().mean()
        loss.backward()  # cgsan: CG108
        return loss

    def run(self):
        for _ in range(3):
            self.warm_loss = self.step()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.loss = self.step()
        return graph


class Lister(Trainer):
    def run(self):
        warm = [self.once() for _ in range(3)]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.loss = self.once()
        print(warm[0].item())
        return graph

    def once(self):
        loss = self.net(self.x).square().mean()
        loss.backward()  # cgsan: CG108
        return loss


Trainer().run()
Lister().run()
# --- an output that was never differentiated
import torch

net = torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
before = net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    grads = torch.autograd.grad(net(x).sum(), list(net.parameters()))  # cgsan: CG108
print(before.sum().item(), grads)
# --- silent: nothing is left of the warm-up, or nothing that leads back
import torch

net = torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
losses, numbers, kept = [], [], []


def warm_up():
    for _ in range(2):
        loss = net(x).square().mean()
        loss.backward()
        numbers.append(float(loss))
        kept.append(loss.detach())
        losses.append(loss)
    return loss.detach()


last = warm_up()
first = net(x)
with torch.no_grad():
    evaluated = net(x)
losses.clear()
del first
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = net(x).square().mean()
    loss.backward()
# --- silent: warmed up on a side stream, and of another module
import torch

net, other = torch.nn.Linear(8, 1).cuda(), torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
elsewhere = other(x).sum()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    warm = net(x).square().mean()
    warm.backward()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = net(x).square().mean()
    loss.backward()
# --- silent: it goes before the forward pass
import torch

net = torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
loss = net(x).square().mean()
loss.backward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = None
    loss = net(x).square().mean()
    loss.backward()
# --- silent: the weights are not to be learned, or the kept result does not lead to them
import torch

net = torch.nn.Linear(8, 8).cuda()
head = torch.nn.Linear(8, 1).cuda()
net.requires_grad_(False)
x = torch.randn(4, 8, device="cuda")
features = net(x)
scores = head(features.detach()).detach()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = head(net(x)).mean() + scores.mean()
    loss.backward()
