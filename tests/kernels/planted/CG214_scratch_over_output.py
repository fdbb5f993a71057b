"""Two graphs share a pool; the second is replayed first, and a kernel of the first writes its scratch memory over its output."""

import torch
import triton
import triton.language as tl


@triton.jit
def affine(x, y, FACTOR: tl.constexpr, SHIFT: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(y + at, tl.load(x + at) * FACTOR + SHIFT)


pool = torch.cuda.graph_pool_handle()
x = torch.full((16,), 2.0, device="cuda")


def launch(x, factor, shift):
    y = torch.empty_like(x)  # cgsan: label
    affine[(1,)](x, y, FACTOR=factor, SHIFT=shift, SIZE=16)
    return y


def smooth():
    return launch(launch(x, 3, 0), 1, 5)


def square():
    return launch(x, 2, 0)


def capture(function):
    function()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = function()
    return graph, y


smoothing, left = capture(smooth)
squaring, right = capture(square)
squaring.replay()
smoothing.replay()  # cgsan: CG214
replayed = [left[0].item(), right[0].item()]
print("replay", replayed, "eager", [11.0, 4.0])
