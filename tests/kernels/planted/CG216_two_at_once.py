"""Two graphs of one pool are replayed on two streams, and their kernels share the scratch memory."""

import torch
import triton
import triton.language as tl


@triton.jit
def affine(x, y, FACTOR: tl.constexpr, SHIFT: tl.constexpr, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(y + at, tl.load(x + at) * FACTOR + SHIFT)


def denoise(x):
    hidden, y = torch.empty_like(x), torch.empty_like(x)  # cgsan: label
    affine[(1,)](x, hidden, FACTOR=2, SHIFT=0, SIZE=16)
    affine[(1,)](hidden, y, FACTOR=1, SHIFT=1, SIZE=16)
    return y


inputs = [torch.full((16,), value, device="cuda") for value in (1.0, 2.0)]
pool = torch.cuda.graph_pool_handle()
graphs, outputs = [], []
for x in inputs:
    denoise(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(denoise(x))
    graphs.append(graph)

streams = [torch.cuda.Stream() for _ in graphs]
torch.cuda.synchronize()
for stream, graph in zip(streams, graphs, strict=True):
    with torch.cuda.stream(stream):
        graph.replay()  # cgsan: CG216
torch.cuda.synchronize()
print("replay", [y[0].item() for y in outputs], "eager", [3.0, 5.0])
