# --- fails
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.graph = None

    def forward(self, x):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):  # cgsan: CG122
                self.y = self.norm(x)
        return self.y


layer = Layer().cuda()
x = torch.ones(4, 8, device="cuda")
step = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(step):
    y = layer(x)
# --- fixed
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.graph = None

    def forward(self, x):
        return self.norm(x)


layer = Layer().cuda()
x = torch.ones(4, 8, device="cuda")
step = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(step):
    y = layer(x)
# --- lookalike
import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)

    def capture(self, x):
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.y = self.norm(x)
        return self.y


x = torch.ones(4, 8, device="cuda")
first, second = Layer().cuda(), Layer().cuda()
second.capture(first.capture(x))
for layer in (first, second):
    layer.graph.replay()
