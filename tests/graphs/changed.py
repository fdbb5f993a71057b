"""Two captures of one step that differ, and their DOT files in the folder that is named: what `cgsan diff` says of them is known."""

import sys
from pathlib import Path

import torch

side = torch.cuda.Stream()
x = torch.zeros(1000, device="cuda")
large = torch.zeros(500_000, device="cuda")
host = torch.zeros(1000).pin_memory()


def step(tensor, masked):
    y = tensor.sin()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        z = tensor.cos()
    if masked:
        y = y.clamp(min=0)
    torch.cuda.current_stream().wait_stream(side)
    return (y + z).sum()


def captured(tensor, masked):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    graph.enable_debug_mode()
    with torch.cuda.graph(graph):
        step(tensor, masked)
        host[:100].copy_(tensor[:100], non_blocking=True)
    return graph


folder = Path(sys.argv[1])
for name, graph in [
    ("small", captured(x, masked=False)),
    ("large", captured(large, masked=False)),
    ("masked", captured(x, masked=True)),
]:
    graph.debug_dump(str(folder / f"{name}.dot"))
