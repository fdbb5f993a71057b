"""A kernel written in Triton is tuned by an eager call, then captured and replayed."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["n"])
@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n)
    return out


def main():
    x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    add(x, y)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(x, y)
    graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
