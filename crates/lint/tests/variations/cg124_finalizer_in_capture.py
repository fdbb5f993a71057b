# --- the last name of it is deleted
import torch

x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
    del old  # cgsan: CG124
# --- its name is given to a new one
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    graph = torch.cuda.CUDAGraph()  # cgsan: CG124
    z = x + 2
# --- a list of graphs is cleared
import torch

x = torch.ones(8, device="cuda")
graphs = []
graphs.append(torch.cuda.CUDAGraph())
with torch.cuda.graph(graphs[0]):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
    graphs.clear()  # cgsan: CG124
# --- silent: it was never captured
import torch

x = torch.ones(8, device="cuda")
unused = torch.cuda.CUDAGraph()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
    del unused
# --- silent: the mode allows it
import torch

x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="relaxed"):
    z = x + 2
    del old
# --- a kept graph has no executable one before its first replay
import torch

x = torch.ones(8, device="cuda")
draft = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(draft):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    draft = None
    z = x + 2
# --- a kept graph that was instantiated
import torch

x = torch.ones(8, device="cuda")
draft = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(draft):
    y = x + 1
draft.instantiate()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    draft = None  # cgsan: CG124
    z = x + 2
