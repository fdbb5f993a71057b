# --- unsafe: a compiled function is called before the capture
import torch

x = torch.ones(8, device="cuda")
double = torch.compile(lambda it: it * 2)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = double(x)
# --- repaired
import torch

x = torch.ones(8, device="cuda")
double = torch.compile(lambda it: it * 2)
graph = torch.cuda.CUDAGraph()
double(x)
with torch.cuda.graph(graph):
    y = double(x)
# --- unsafe: a library is used before the capture
import torch

x = torch.ones(8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x @ x
# --- repaired
import torch

x = torch.ones(8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
x @ x
with torch.cuda.graph(graph):
    y = x @ x
# --- unsafe: the seed is set before the capture
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.manual_seed(3)
    y = torch.rand_like(x)
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.manual_seed(3)
with torch.cuda.graph(graph):
    y = torch.rand_like(x)
# --- unsafe: the graphs of a loop share a pool
import torch

x = torch.ones(8, 1 << 20, device="cuda")
graphs = []
for size in (8, 4, 2):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x[:size] * 2
    graphs.append(graph)
# --- repaired
import torch

x = torch.ones(8, 1 << 20, device="cuda")
graphs = []
shared_pool = torch.cuda.graph_pool_handle()
for size in (8, 4, 2):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=shared_pool):
        y = x[:size] * 2
    graphs.append(graph)
# --- safe: arguments that are there, or not, or on lines of their own
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(8, 8, device="cuda")
optimizer = torch.optim.Adam(
    model.parameters(),
    lr=0.1,
    capturable=False,
)
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda"):
    model(x)
    with torch.cuda.graph(graph):
        y = model(x)
        optimizer.step()
# --- repaired
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(8, 8, device="cuda")
optimizer = torch.optim.Adam(
    model.parameters(),
    lr=0.1,
    capturable=True,
)
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", cache_enabled=False):
    model(x)
    with torch.cuda.graph(graph):
        y = model(x)
        optimizer.step()
# --- safe: a generator is registered
import torch

x = torch.ones(8, device="cuda")
generator = torch.Generator(device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.rand(8, device="cuda", generator=generator)
# --- repaired
import torch

x = torch.ones(8, device="cuda")
generator = torch.Generator(device="cuda")
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)
with torch.cuda.graph(graph):
    y = torch.rand(8, device="cuda", generator=generator)
# --- safe: a graph with collectives goes before its process group
import torch
import torch.distributed as dist

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
dist.destroy_process_group()
# --- repaired
import torch
import torch.distributed as dist

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
graph.reset()
dist.destroy_process_group()
# --- safe: before PyTorch 2.10, checkpointing leaves the random state alone
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint

x = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = checkpoint(torch.tanh, x, use_reentrant=False)
# --- repaired
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint

x = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = checkpoint(torch.tanh, x, use_reentrant=False, preserve_rng_state=False)
# --- unsafe: a process group is used before the capture
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.reset()
dist.destroy_process_group()
# --- repaired
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
dist.all_reduce(torch.zeros(1, device="cuda"))
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.reset()
dist.destroy_process_group()
