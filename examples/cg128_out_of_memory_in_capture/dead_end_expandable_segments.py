"""Expandable segments, which the message suggests, cannot use the eager cache in a capture either."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

import torch

_, total = torch.cuda.mem_get_info()
x = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del x
    y = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
