"""`CUDA_LAUNCH_BLOCKING=1` finds the replay, which is one launch, and neither prevents nor explains the access."""

import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

import torch


def capture():
    x = torch.full((64 << 20,), 2.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    return graph, y  # `x` is freed here


graph, y = capture()
torch.cuda.empty_cache()
graph.replay()
assert y[0].item() == 4.0, y[0].item()
