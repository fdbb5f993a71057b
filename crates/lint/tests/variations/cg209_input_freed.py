# --- a factory gives back the graph and forgets its input
import torch


def make(model):
    static = torch.zeros(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        out = model(static)  # cgsan: CG209
    return graph, out


graph, out = make(torch.nn.LayerNorm(8).cuda())
graph.replay()
# --- a closure keeps the graph only
import torch


def build():
    table = torch.arange(8.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = table * 2  # cgsan: CG209

    def run():
        graph.replay()
        return y

    return run


build()()
# --- deleted to save memory
import torch

static = torch.zeros(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
del static  # cgsan: CG209
torch.cuda.empty_cache()
graph.replay()
# --- a method keeps the graph in its object, its input in a local name
import torch


class Runner:
    def capture(self):
        mask = torch.ones(8, device="cuda")
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * mask  # cgsan: CG209


runner = Runner()
runner.capture()
runner.graph.replay()
# --- silent: all is kept beside the graph
import torch


class Runner:
    def capture(self):
        self.mask = torch.ones(8, device="cuda")
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * self.mask


def make():
    static = torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = static * 2
    return graph, static, out


runner = Runner()
runner.capture()
runner.graph.replay()
graph, *tensors = make()
graph.replay()
# --- silent: what was made inside the capture may be let go
import torch


def make(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scratch = torch.zeros(8, device="cuda")
        y = x + scratch
        del scratch
    return graph, y


x = torch.ones(8, device="cuda")
graph, y = make(x)
graph.replay()
# --- silent: the graph ends with its function
import torch


def measure():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
    graph.replay()
    return y.sum().item()


measure()
# --- a list of buffers is emptied before a replay
import torch

buffers = [torch.ones(8, device="cuda")]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = buffers[0] * 2
buffers.clear()  # cgsan: CG209
graph.replay()
