# --- a gain on the host, filled before each replay
import torch

gain = torch.tensor(1.0)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * gain  # cgsan: CG205
for level in (0, 6):
    gain.fill_(level)
    graph.replay()
# --- a rate in an object, which a method lowers
import torch


class Trainer:
    def __init__(self):
        self.rate = torch.tensor(0.1)
        self.weight = torch.ones(8, device="cuda")
        self.grad = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.weight.sub_(self.grad.mul(self.rate))  # cgsan: CG205

    def lower(self):
        self.rate *= 0.5

    def step(self):
        self.graph.replay()


trainer = Trainer()
for _ in range(3):
    trainer.step()
    trainer.lower()
# --- in place
import torch

decay = torch.zeros(())
state = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    state *= decay  # cgsan: CG205
decay.copy_(torch.rand(()))
graph.replay()
# --- silent: on the device, or never written, or written after the last replay
import torch

gain = torch.tensor(1.0, device="cuda")
bias = torch.tensor(1.0)
scale = torch.tensor(2.0)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (x + bias) * gain * scale
for level in (0, 6):
    gain.fill_(level)
    graph.replay()
scale.fill_(1.0)
# --- silent: written before the capture, and captured anew for another value
import torch


def capture(x, gain):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * gain
    return graph, y


x = torch.ones(8, device="cuda")
gain = torch.tensor(1.0)
gain.mul_(3.0)
for level in (0, 6):
    gain.fill_(level)
    graph, y = capture(x, gain)
    graph.replay()
