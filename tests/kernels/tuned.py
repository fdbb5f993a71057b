"""Kernels that Triton tunes, chooses by heuristics and takes apart, in graphs of several sizes, and on a side stream."""

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["size"])
@triton.heuristics({"EVEN": lambda given: given["size"] % given["BLOCK"] == 0})
@triton.jit
def shift(x, y, size, amount, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + at, tl.load(x + at) + amount)
    else:
        tl.store(y + at, tl.load(x + at, mask=at < size) + amount, mask=at < size)


@triton.jit
def finish(y, out, size, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, size, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(y + at, mask=at < size, other=0.0)
    tl.store(out, tl.sum(total))


def run(x, y, out):
    size = x.numel()
    shift[lambda given: (triton.cdiv(size, given["BLOCK"]),)](x, y, size, 1.5)
    finish[(1,)](y, out, size, BLOCK=64)


side = torch.cuda.Stream()
graphs = {}
for size in (64, 100):
    x, y = torch.zeros(size, device="cuda"), torch.zeros(size, device="cuda")
    out = torch.zeros((), device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        run(x, y, out)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fork = torch.cuda.current_stream()
        side.wait_stream(fork)
        with torch.cuda.stream(side):
            run(x, y, out)
        fork.wait_stream(side)
    graphs[size] = graph, x, y, out

for size, (graph, x, _y, out) in graphs.items():
    for value in (1.0, 2.0):
        x.fill_(value)
        graph.replay()
        torch.testing.assert_close(out.item(), size * (value + 1.5))
