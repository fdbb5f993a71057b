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
# --- decompositions whose error checks read the device
import torch

a = torch.eye(8, device="cuda")
torch.linalg.svd(a)
torch.linalg.matrix_rank(a)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    u, s, v = torch.linalg.svd(a)  # cgsan: CG102
    rank = torch.linalg.matrix_rank(a)  # cgsan: CG102
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
# --- indices and numbers of the host
import torch

x = torch.rand(8, 8, device="cuda")
order = [2, 0, 1]
on_device = torch.arange(4, device="cuda")
mask = x > 0.5
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    some = x[order]  # cgsan: CG102
    columns = x[:, order]  # cgsan: CG102
    x[on_device] = 1.0  # cgsan: CG102
    x[on_device, 0] = 1.0  # cgsan: CG102
    x[0, 0] = 1.0  # cgsan: CG102
    x[[0, 1]] = 0.0  # cgsan: CG102
    x[0, 0] = torch.tensor(2.0)  # cgsan: CG102
# --- tuples, slices, indices of the device, a row that is filled, and a mask of the host
import torch

x = torch.rand(8, 8, device="cuda")
place = (2, 0)
on_device = torch.arange(4, device="cuda")
mask = x > 0.5
of_host = torch.ones(8, dtype=torch.bool)
value = torch.rand((), device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    one = x[place]
    some = x[on_device]
    part = x[1:3, :2]
    x[on_device] = value
    x[0] = 1.0
    x[:, 0] = 1.0
    x[2:4] = torch.tensor(3.0)
    x[mask] = 1.0
    x[0, 0] = value
    x[0, 0] += 1.0
    kept = torch.where(mask, x, 0.0)
    scaled = x * torch.tensor(2.0)
    rows = x[of_host]
# --- tensors that are cast to a type of the host, or made of a class of the device
import torch

x = torch.rand(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    host = x.type(torch.FloatTensor)  # cgsan: CG102
    weights = torch.cuda.FloatTensor([1.0, 2.0])  # cgsan: CG102
    half = x.type(torch.float16)
    same = x.type(torch.cuda.FloatTensor)
    space = torch.cuda.FloatTensor(8)
    filled = torch.scalar_tensor(3.0, device="cuda")
# --- a number of the host beside a tensor, as a distribution's parameter, and the count of an averaged model
import torch
from torch.distributions import Normal
from torch.optim.swa_utils import AveragedModel

mean = torch.zeros(4, device="cuda")
net = torch.nn.Linear(4, 4).cuda()
average = AveragedModel(net)
average.update_parameters(net)
fresh = AveragedModel(net)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    noise = Normal(mean, 1.0).rsample()  # cgsan: CG102
    average.update_parameters(net)  # cgsan: CG102
    fresh.update_parameters(net)
