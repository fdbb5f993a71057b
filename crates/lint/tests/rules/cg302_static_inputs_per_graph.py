# --- fails
import torch

pool = torch.cuda.graph_pool_handle()
graphs = {}
for size in (1, 2, 4, 8, 16, 32):
    static = torch.zeros(size, 65536, device="cuda")  # cgsan: CG302
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = static * 2
    graphs[size] = (graph, static, y)
# --- fixed
import torch

pool = torch.cuda.graph_pool_handle()
static = torch.zeros(32, 65536, device="cuda")
graphs = {}
for size in (32, 16, 8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = static[:size] * 2
    graphs[size] = (graph, y)
# --- lookalike
import torch

graph = torch.cuda.CUDAGraph()
static = torch.zeros(65536, device="cuda")
with torch.cuda.graph(graph):
    y = static * 2
for size in (1, 2, 4, 8, 16, 32):
    extra = torch.zeros(size, 65536, device="cuda")
    graph.replay()
