# --- the step builds its own position ids from a list
import torch


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(16, 8)

    def forward(self, tokens):
        positions = torch.tensor([0, 1, 2, 3], device=tokens.device)  # cgsan: CG102
        return self.embedding(tokens) + self.embedding(positions)


decoder = Decoder().cuda()
tokens = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    hidden = decoder(tokens)
# --- a helper moves the next batch over
from torch import cuda, ones


def to_device(batch, device):
    return {name: value.to(device) for name, value in batch.items()}  # cgsan: CG102


batch = {"inputs": ones(4, 8), "targets": ones(4)}
with cuda.graph(cuda.CUDAGraph()):
    moved = to_device(batch, "cuda")
# --- the result is logged as an array
import torch


class Recorder:
    def __init__(self):
        self.rows = []

    def __call__(self, rewards):
        self.rows.append(rewards.detach().cpu().numpy())  # cgsan: CG102


record = Recorder()
rewards = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    rewards.mul_(0.99)
    record(rewards)
# --- the static input is filled inside the capture
import torch

host = torch.randn(8)
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    graph.capture_begin(capture_error_mode="thread_local")
    try:
        static.copy_(host)  # cgsan: CG102
        y = static * 2
    finally:
        graph.capture_end()
# --- a list picks the layers
import torch

hidden = torch.ones(12, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    picked = hidden[[0, 5, 11]]  # cgsan: CG102
# --- a constant of NumPy's becomes a tensor of the device
import numpy as np
import torch

coefficients = np.linspace(0.0, 1.0, 8, dtype=np.float32)


def schedule():
    return torch.as_tensor(coefficients, device="cuda")  # cgsan: CG102


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * schedule()
# --- the same with `from_numpy`, moved afterwards
import numpy as np
import torch

noise = np.zeros(8, dtype=np.float32)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + torch.from_numpy(noise).cuda(non_blocking=True)  # cgsan: CG102
# --- decompositions whose error checks read the device, and a histogram that looks for its range
import torch

a = torch.eye(8, device="cuda")
torch.linalg.svd(a)
torch.linalg.matrix_rank(a)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    u, s, v = torch.linalg.svd(a)  # cgsan: CG102
    rank = torch.linalg.matrix_rank(a)  # cgsan: CG102
    counts = torch.histc(a, bins=8)  # cgsan: CG102
# --- silent: copies before the capture and after the replay
import torch

static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
for step in range(3):
    static.copy_(torch.full((8,), float(step)))
    graph.replay()
    print(y.cpu().numpy().sum(), y.tolist())
# --- silent: tensors that are made on the device, and copies that stay there
import torch

x = torch.ones(8, device="cuda")
y = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    positions = torch.arange(8, device=x.device)
    mask = torch.full((8, 8), float("-inf"), device="cuda").triu(1)
    y.copy_(x.to(x.device).to("cuda").half())
    zero = torch.zeros((), device="cuda")
    z = x.new_zeros(8) + mask.sum() + positions + zero
# --- silent: pinned memory that stays, copied without waiting
import torch

host = torch.zeros(8, pin_memory=True)
back = torch.empty(8, pin_memory=True)
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(host, non_blocking=True)
    back.copy_(static * 2, non_blocking=True)
graph.replay()
# --- silent: host tensors stay on the host
import torch

x = torch.ones(8, device="cuda")
table = torch.tensor([1.0, 2.0, 3.0])
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    half = table.cpu().numpy() / 2
    y = x * float(half[0])
