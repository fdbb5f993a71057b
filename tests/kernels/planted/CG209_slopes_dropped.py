"""A kernel reads a table that only the function held in which it was made."""

import torch
import triton
import triton.language as tl


@triton.jit
def scale_rows(x, slopes, y, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    at = row * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y + at, tl.load(x + at) * tl.load(slopes + row))


def build(x):
    y = torch.empty_like(x)
    slopes = torch.linspace(1, 2, len(x), device="cuda")  # cgsan: label
    scale_rows[(len(x),)](x, slopes, y, COLUMNS=x.size(1))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale_rows[(len(x),)](x, slopes, y, COLUMNS=x.size(1))
    return graph, y


x = torch.ones(8, 16, device="cuda")
graph, y = build(x)
others = [torch.full((8,), 7.0, device="cuda") for _ in range(64)]
graph.replay()  # cgsan: CG209
print("replay", y[:, 0].tolist(), "eager", torch.linspace(1, 2, 8).tolist())
