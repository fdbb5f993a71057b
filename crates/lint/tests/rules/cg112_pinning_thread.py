# --- fails
import torch
from torch.utils.data import DataLoader, TensorDataset


def batches(size):
    dataset = TensorDataset(torch.randn(256, 8))
    return DataLoader(dataset, batch_size=size, num_workers=2, pin_memory=True)


model = torch.nn.LayerNorm(8).cuda()
static = torch.zeros(16, 8, device="cuda")
graph = None
for (batch,) in batches(16):  # cgsan: CG112
    static.copy_(batch, non_blocking=True)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            scores = model(static)
    graph.replay()
# --- fixed
import torch
from torch.utils.data import DataLoader, TensorDataset


def batches(size):
    dataset = TensorDataset(torch.randn(256, 8))
    return DataLoader(dataset, batch_size=size, num_workers=2, pin_memory=True)


model = torch.nn.LayerNorm(8).cuda()
static = torch.zeros(16, 8, device="cuda")
graph = None
for (batch,) in batches(16):
    static.copy_(batch, non_blocking=True)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph, capture_error_mode="thread_local"):
            scores = model(static)
    graph.replay()
# --- lookalike
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.LayerNorm(8).cuda()
static = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    scores = model(static)
for (batch,) in DataLoader(TensorDataset(torch.randn(256, 8)), batch_size=16, pin_memory=True):
    static.copy_(batch, non_blocking=True)
    graph.replay()
