# --- fails
import torch


@torch.compile
def rotary(x, cosine, sine):
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cosine - high * sine, low * sine + high * cosine), dim=-1)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cosine", torch.ones(4))
        self.register_buffer("sine", torch.zeros(4))

    def forward(self, query):
        return rotary(query, self.cosine, self.sine)  # cgsan: CG119


attention = Attention().cuda()
query = torch.ones(2, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = attention(query)
# --- fixed
import torch


@torch.compile
def rotary(x, cosine, sine):
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cosine - high * sine, low * sine + high * cosine), dim=-1)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cosine", torch.ones(4))
        self.register_buffer("sine", torch.zeros(4))

    def forward(self, query):
        return rotary(query, self.cosine, self.sine)


attention = Attention().cuda()
query = torch.ones(2, 8, device="cuda")
attention(query)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = attention(query)
# --- lookalike
import torch


@torch.compile
def normalise(x):
    return (x - x.mean()) / x.std()


@torch.compiler.disable
def scale(x):
    return x * 2


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = scale(x)
graph.replay()
print(normalise(y))
