# --- a server copies more than it computes
import torch


class Server:
    def __init__(self):
        self.tokens = torch.zeros(8, device="cuda")
        self.positions = torch.zeros(8, device="cuda")
        self.mask = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.tokens + self.positions + self.mask

    def run(self, tokens, positions, mask):
        self.tokens.copy_(tokens)
        self.positions.copy_(positions)
        self.mask.copy_(mask)
        self.graph.replay()  # cgsan: CG504
        return self.out


server = Server()
fresh = torch.ones(8, device="cuda")
for _ in range(4):
    server.run(fresh, fresh, fresh)
# --- in a loop over a list of buffers
import torch

statics = [torch.zeros(8, device="cuda") for _ in range(4)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = statics[0] + statics[1] + statics[2] + statics[3]
batch = [torch.ones(8, device="cuda") for _ in range(4)]
for _ in range(4):
    for static, value in zip(statics, batch):
        static.copy_(value)
    graph.replay()  # cgsan: CG504
# --- by a helper, with slices as targets
import torch

a, b, c = (torch.zeros(8, device="cuda") for _ in range(3))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = a + b + c


def load(value):
    a[:].copy_(value)
    b[:].copy_(value)
    c[:].copy_(value)


value = torch.ones(8, device="cuda")
for _ in range(4):
    load(value)
    graph.replay()  # cgsan: CG504
# --- silent: the graph does more than its copies
import torch

model = torch.nn.Sequential(*(torch.nn.LayerNorm(8) for _ in range(12))).cuda()
a, b, c = (torch.zeros(4, 8, device="cuda") for _ in range(3))
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(a) + model(b) + model(c)
value = torch.ones(4, 8, device="cuda")
for _ in range(4):
    a.copy_(value)
    b.copy_(value)
    c.copy_(value)
    graph.replay()
# --- silent: it copies once, before the loop
import torch

a, b, c = (torch.zeros(8, device="cuda") for _ in range(3))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = a + b + c
a.copy_(torch.ones(8))
b.copy_(torch.ones(8))
c.copy_(torch.ones(8))
for _ in range(4):
    graph.replay()
# --- a method that others call copies all that its graph reads
import torch


class Linear:
    def __init__(self):
        self.w = torch.zeros(8, 8, device="cuda")
        self.h = torch.zeros(8, 8, device="cuda")
        self.b = torch.zeros(8, device="cuda")
        self.out = torch.zeros(8, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out.copy_(self.w + self.h * self.b)

    def replay(self, w, h, b):
        self.w.copy_(w)
        self.h.copy_(h)
        self.b.copy_(b)
        self.graph.replay()  # cgsan: CG504
        return self.out


# --- silent: a method that copies once for many operations, and one that captures first
import torch


class Linear:
    def __init__(self):
        self.w = torch.zeros(8, 8, device="cuda")
        self.h = torch.zeros(8, 8, device="cuda")
        self.b = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = ((self.w + self.h * self.b).tanh() * 2).softmax(-1).sum(0)

    def replay(self, w, h, b):
        self.w.copy_(w)
        self.h.copy_(h)
        self.b.copy_(b)
        self.graph.replay()
        return self.out

    def once(self, w, h, b):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.w + self.h * self.b
        self.w.copy_(w)
        self.h.copy_(h)
        self.b.copy_(b)
        graph.replay()
        return out.clone()
