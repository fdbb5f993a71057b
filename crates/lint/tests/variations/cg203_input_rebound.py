# --- an attribute gets the next batch
import torch


class Server:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, batch):
        self.x = batch.to("cuda")  # cgsan: CG203
        self.graph.replay()
        return self.y.clone()


server = Server()
server.run(torch.ones(8))
# --- a global is rebound by a function
import torch

state = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = state + 1


def advance():
    global state
    state = state * 0.9  # cgsan: CG203


for _ in range(3):
    advance()
    graph.replay()
# --- an entry of the dictionary of static inputs
import torch

static = {"tokens": torch.zeros(8, device="cuda"), "mask": torch.ones(8, device="cuda")}
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static["tokens"] * static["mask"]
for step in range(3):
    static["tokens"] = torch.full((8,), float(step), device="cuda")  # cgsan: CG203
    graph.replay()
# --- an element of a list
import torch

caches = [torch.zeros(8, device="cuda") for _ in range(2)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = caches[0] + caches[1]
caches[0] = torch.ones(8, device="cuda")  # cgsan: CG203
graph.replay()
# --- out of place where in place is meant
import torch

learning_rate = torch.tensor(0.1, device="cuda")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * learning_rate
for _ in range(3):
    graph.replay()
    learning_rate = learning_rate * 0.5  # cgsan: CG203
# --- silent: written in place
import torch


class Server:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, batch):
        self.x.copy_(batch)
        self.x += 1
        self.x[0] = 3
        self.graph.replay()
        return self.y.clone()


server = Server()
server.run(torch.ones(8))
# --- silent: rebound before the capture, or with no replay after it
import torch

x = torch.zeros(8, device="cuda")
x = x + 1
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
x = torch.ones(8, device="cuda")
print(x.sum())
# --- silent: another name still refers to it, and it is written through that
import torch

x = torch.zeros(8, device="cuda")
static = x
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for step in range(3):
    x = torch.full((8,), float(step), device="cuda")
    static.copy_(x)
    graph.replay()
# --- silent: what gives the tensor itself, or a view of it, where it need not copy
import torch

x, lengths = torch.zeros(24, device="cuda"), torch.ones(4, dtype=torch.long, device="cuda")
weight = torch.ones(4, 6, device="cuda")
mask = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (x.view(4, 6) * weight).sum(1) * lengths + mask

x = x.view(4, 6)
x = x.detach()
x = x.contiguous()
lengths = lengths.to(torch.long)
weight = torch.nn.Parameter(weight.float(), requires_grad=False)
mask, *_ = mask.chunk(1)
for _ in range(3):
    x.copy_(torch.rand(4, 6, device="cuda"))
    lengths.fill_(3)
    mask.fill_(1)
    graph.replay()
    print(y.tolist())
