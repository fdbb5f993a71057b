"""Look at the first exception, not the last."""

import torch

x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()

try:
    with torch.cuda.graph(graph):
        y = x + 1
except Exception as error:
    first = error
    while first.__context__ is not None:
        first = first.__context__
    print(f"first: {type(first).__name__}: {first}")
    raise
