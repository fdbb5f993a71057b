# --- fails
import torch


class Trainer:
    def __init__(self):
        self.weight = torch.ones(8, device="cuda")
        self.gradient = torch.ones(8, device="cuda")
        self.graph = None

    def update(self, step):
        if step < 100:  # cgsan: CG201
            self.weight.sub_(self.gradient * 0.01)
        else:
            self.weight.sub_(self.gradient)

    def fit(self):
        for step in range(1000):
            if self.graph is None:
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph):
                    self.update(step)
            self.graph.replay()


Trainer().fit()
# --- fixed
import torch


class Trainer:
    def __init__(self):
        self.weight = torch.ones(8, device="cuda")
        self.gradient = torch.ones(8, device="cuda")
        self.rate = torch.ones((), device="cuda")
        self.graph = None

    def update(self):
        self.weight.sub_(self.gradient * self.rate)

    def fit(self):
        for step in range(1000):
            if self.graph is None:
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph):
                    self.update()
            self.rate.fill_(0.01 if step < 100 else 1.0)
            self.graph.replay()


Trainer().fit()
# --- lookalike
import torch


def forward(x, layers):
    for index in range(layers):
        if index % 2 == 0:
            x = x * 2
        else:
            x = x + 1
    return x


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = forward(x, layers=4)
for step in range(10):
    if step % 5 == 0:
        print("step", step)
    graph.replay()
