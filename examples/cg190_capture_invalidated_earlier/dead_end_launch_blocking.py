"""`CUDA_LAUNCH_BLOCKING=1` does not move the exception to the refused call."""

import contextlib
import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"

import torch

x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with contextlib.suppress(RuntimeError):
        torch.cuda.synchronize()
    y = x + 1
graph.replay()
