"""What kernels of Triton compute, eagerly and at replays, with values; asserted by the program itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def square(x):
    return x * x


@triton.jit
def softmax(out, given, columns, SIZE: tl.constexpr):
    row, places = tl.program_id(0), tl.arange(0, SIZE)
    here = places < columns
    x = tl.load(given + row * columns + places, mask=here, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + places, e / tl.sum(e, axis=0), mask=here)


@triton.jit
def product(out, a, b, SIZE: tl.constexpr):
    rows = tl.arange(0, SIZE)
    places = rows[:, None] * SIZE + rows[None, :]
    tl.store(out + places, square(tl.dot(tl.load(a + places), tl.load(b + places))))


@triton.autotune(configs=[triton.Config({"SIZE": size}) for size in (16, 64)], key=["count"])
@triton.jit
def count_up(x, count, SIZE: tl.constexpr):
    places = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    tl.store(x + places, tl.load(x + places, mask=places < count) + 1, mask=places < count)


@triton.jit
def through_bfloat16(out, x):
    places = tl.arange(0, 16)
    tl.store(out + places, tl.load(x + places).to(tl.bfloat16).to(tl.float32))


def same(found, wanted, tolerance=1e-5):
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


def eager():
    x = torch.randn(4, 60, device="cuda")
    out = torch.empty_like(x)
    softmax[(4,)](out, x, 60, SIZE=64)
    same(out, x.softmax(1))
    for kind in (torch.float32, torch.float16, torch.bfloat16):
        a, b = torch.randn(2, 16, 16, device="cuda").to(kind)
        out = torch.empty(16, 16, device="cuda", dtype=kind)
        product[(1,)](out, a, b, SIZE=16)
        same(out.float(), (a.float() @ b.float()).square(), 2e-2 if kind != torch.float32 else 1e-4)


def tuned():
    """The launches that are timed are not computed; the one that is asked for is."""
    x = torch.zeros(100, device="cuda")
    for _ in range(3):
        count_up[lambda meta: (triton.cdiv(100, meta["SIZE"]),)](x, 100)
    assert x.tolist() == [3.0] * 100


def replayed():
    x = torch.zeros(2, 60, device="cuda")
    out = torch.empty_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        doubled = x * 2
        softmax[(2,)](out, doubled, 60, SIZE=64)
        result = out + 1
    for _ in range(3):
        x.normal_()
        graph.replay()
        same(result, (x * 2).softmax(1) + 1)


def not_computed():
    """What the interpreter would compute wrong is named, and its memory is left as it was."""
    x, out = torch.randn(16, device="cuda"), torch.zeros(16, device="cuda")
    through_bfloat16[(1,)](out, x)  # the line that is named
    assert not out.any()


def main():
    eager()
    tuned()
    replayed()
    not_computed()
    print("all computed")


if __name__ == "__main__":
    main()
