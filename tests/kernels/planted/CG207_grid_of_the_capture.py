"""The first batch is short, and the grid of the capture has a program for each row of that."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_rows(rows, total, COLUMNS: tl.constexpr):
    at = tl.arange(0, COLUMNS)
    tl.atomic_add(total + at, tl.load(rows + tl.program_id(0) * COLUMNS + at))


batches = torch.ones(20, 16, device="cuda").split([4, 8, 8])
static = torch.zeros(8, 16, device="cuda")
total = torch.zeros(16, device="cuda")


def step(rows):
    total.zero_()
    add_rows[(rows,)](static, total, COLUMNS=16)  # cgsan: CG207


for batch in batches:
    step(len(batch))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step(len(batches[0]))

replayed, eager = [], []
for batch in batches:
    static[: len(batch)].copy_(batch)
    graph.replay()
    replayed.append(total[0].item())
    eager.append(float(len(batch)))
print("replay", replayed, "eager", eager)
