"""The program goes on after a failed capture, whose memory nothing gives back."""

import gc

import torch

current = torch.cuda.current_stream()
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):  # cgsan: label
        x = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()  # cgsan: CG101 CG309
except RuntimeError:
    torch.cuda.set_stream(current)
del x
del graph
gc.collect()
torch.cuda.empty_cache()
y = torch.zeros(8, device="cuda")
