"""The program's first matrix product, for which cuBLAS sets itself up, is inside a capture."""

import torch

layer = torch.nn.Linear(64, 64, device="cuda")
x = torch.ones(8, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.no_grad():
    y = layer(x)  # cgsan: CG120
graph.replay()
