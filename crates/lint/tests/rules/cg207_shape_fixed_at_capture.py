# --- fails
import torch

x = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
for length in range(8, 64):
    if length == 8:
        with torch.cuda.graph(graph):
            y = x[:length].sum()  # cgsan: CG207
    graph.replay()
# --- fixed
import torch

x = torch.ones(64, device="cuda")
graphs = {}
for length in range(8, 64):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=torch.cuda.graph_pool_handle()):
        y = x[:length].sum()
    graphs[length] = graph
    graph.replay()
# --- lookalike
import torch

x = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
length = 8
with torch.cuda.graph(graph):
    y = x[:length].sum()
for length in range(8, 64):
    graph.replay()
