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


def doubled_sum(x, y):
    return add(x, y) * 2


def in_a_compiled_function():
    compiled = torch.compile(doubled_sum)
    x, y = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
    compiled(x, y)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = compiled(x, y)
    for value in (1.0, 2.0):
        y.fill_(value)
        graph.replay()
        torch.testing.assert_close(out, (x + y) * 2)


def main():
    x, y = torch.ones(1000, device="cuda"), torch.ones(1000, device="cuda")
    add(x, y)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        add(x, y)
    graph.replay()
    torch.cuda.synchronize()
    in_a_compiled_function()


if __name__ == "__main__":
    main()
