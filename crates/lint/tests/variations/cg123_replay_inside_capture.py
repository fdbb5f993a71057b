# --- a captured decoder replays its encoder
import torch


class Encoder:
    def __init__(self):
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x + 1

    def __call__(self):
        self.graph.replay()  # cgsan: CG123
        return self.y


encoder = Encoder()
encoder()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = encoder() * 2
# --- graphed callables in a captured step
import torch

first, second = torch.cuda.make_graphed_callables(
    (torch.nn.Linear(8, 8).cuda(), torch.nn.Linear(8, 8).cuda()),
    ((torch.ones(4, 8, device="cuda"),), (torch.ones(4, 8, device="cuda", requires_grad=True),)),
)
x = torch.ones(4, 8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = first(x)  # cgsan: CG123
# --- out of a dictionary of graphs, in a capture by hand
import torch

x = torch.ones(8, device="cuda")
graphs = {}
for size in (4, 8):
    graphs[size] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[size]):
        y = x[:size] + 1


def run(size):
    graphs[size].replay()  # cgsan: CG123


whole = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    whole.capture_begin()
    run(8)
    whole.capture_end()
# --- a bound method, kept in a list of callbacks
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
steps = [graph.replay]
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    for step in steps:
        step()  # cgsan: CG123
# --- silent: replayed between captures
import torch

x = torch.ones(8, device="cuda")
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = x + 1
first.replay()
with torch.cuda.graph(second):
    z = y + 1
for graph in (first, second):
    graph.replay()
# --- silent: another object's `replay`
import torch


class Buffer:
    def replay(self):
        return 1


buffer = Buffer()
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x + buffer.replay()
# --- silent: replayed in a worker's function that is never called inside
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1


def serve():
    graph.replay()
    return y.clone()


with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x * 2
serve()
# --- silent: Python refuses the call that should have graphed, for want of its arguments
import torch

model = torch.nn.Linear(8, 8).cuda()
static = torch.ones(4, 8, device="cuda")
graphed = torch.cuda.make_graphed_callables(model)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    graphed(static)
# --- a graphed module that was put out of training mode runs itself
import torch

backbone = torch.nn.Linear(8, 8).cuda()
x = torch.randn(4, 8, device="cuda")
backbone = torch.cuda.make_graphed_callables(backbone, (x,))
backbone.eval()
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    features = backbone(x)
# --- it is in training mode again
import torch

backbone = torch.nn.Linear(8, 8).cuda()
x = torch.randn(4, 8, device="cuda")
backbone = torch.cuda.make_graphed_callables(backbone, (x,))
backbone.eval()
backbone(x)
backbone.train()
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    features = backbone(x)  # cgsan: CG123
