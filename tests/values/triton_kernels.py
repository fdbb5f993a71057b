"""What kernels of Triton compute, eagerly and at replays, with values; asserted by the program itself."""

import math

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.cuda.libdevice import tanh
from triton.language.extra.libdevice import rsqrt
from triton.tools.tensor_descriptor import TensorDescriptor


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
def through_bfloat16(out, x, KIND: tl.constexpr):
    places = tl.arange(0, 16)
    narrow = tl.load(x + places).to(tl.bfloat16)
    tl.store(out + places, (narrow * 2).to(KIND))


@triton.jit
def through_float8(out, x):
    places = tl.arange(0, 16)
    tl.store(out + places, tl.load(x + places).to(tl.float8e5).to(tl.float32))


@triton.jit
def doubled_blocks(source, target, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    target.store([row, 0], source.load([row, 0]) * 2)


@triton.jit
def transposed(out, x, rows, columns, SIZE: tl.constexpr):
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (0, 0), (SIZE, SIZE), (1, 0))
    target = tl.make_block_ptr(out, (columns, rows), (rows, 1), (0, 0), (SIZE, SIZE), (1, 0))
    for _ in range(0, tl.cdiv(columns, SIZE)):
        block = tl.load(source, boundary_check=(0, 1))
        tl.store(target, tl.trans(block), boundary_check=(0, 1))
        source, target = tl.advance(source, (0, SIZE)), tl.advance(target, (SIZE, 0))


def scaled_by(factor):
    FACTOR = tl.constexpr(factor)

    @triton.jit
    def times(x):
        return x * FACTOR

    @triton.jit
    def scaled(out, x, SIZE: tl.constexpr):
        places = tl.arange(0, SIZE)
        tl.store(out + places, times(tl.load(x + places)))

    return scaled


@triton.jit
def counted(out, x, amount, SIZE: tl.constexpr):
    places = tl.arange(0, SIZE)
    tl.store(out + places, tl.load(x + places) + amount)


@triton.jit
def normalized(x):
    return x * rsqrt(x * x + 1)


@triton.jit
def functions(out, given, whole, SIZE: tl.constexpr):
    """A row for each function, which is named in the ways that programs do."""
    places = tl.arange(0, SIZE)
    x, n = tl.load(given + places), tl.load(whole + places)
    tl.store(out + places, normalized(x))
    tl.store(out + SIZE + places, tanh(x))
    tl.store(out + 2 * SIZE + places, libdevice.pow(tl.abs(x), 1.5))
    tl.store(out + 3 * SIZE + places, libdevice.erfinv(x / 4))
    tl.store(out + 4 * SIZE + places, tl.extra.cuda.libdevice.round(x * 10))
    tl.store(out + 5 * SIZE + places, libdevice.tgamma(x))
    tl.store(out + 6 * SIZE + places, libdevice.fmod(x, 0.7))
    tl.store(out + 7 * SIZE + places, libdevice.ldexp(x, n))
    tl.store(out + 8 * SIZE + places, libdevice.float2int_rz(x * 4).to(tl.float32))
    tl.store(out + 9 * SIZE + places, libdevice.popc(n).to(tl.float32))
    tl.store(out + 10 * SIZE + places, libdevice.clz(n).to(tl.float32))
    tl.store(out + 11 * SIZE + places, libdevice.float_as_int(x).to(tl.float32))
    tl.store(out + 12 * SIZE + places, libdevice.isnan(x).to(tl.float32))
    tl.store(out + 13 * SIZE + places, libdevice.mulhi(n << 28, n << 8).to(tl.float32))
    tl.store(out + 14 * SIZE + places, libdevice.normcdf(x))
    tl.store(out + 15 * SIZE + places, libdevice.cyl_bessel_i0(x))


@triton.jit
def rounded_up(out, x):
    places = tl.arange(0, 16)
    tl.store(out + places, libdevice.add_ru(tl.load(x + places), 0.1))


@triton.jit
def looped(out, count, start, PARTS: tl.constexpr):
    for at in range(count):
        tl.store(out + at.to(tl.int64), (at - 2) // 2)
    for at in tl.range(start, start + 4, step=2):
        tl.store(out + count + at - start, (at * at) % 1000)
    for at in tl.static_range(PARTS):
        tl.store(out + count + 4 + at, at)


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


def of_libdevice():
    x = torch.linspace(-2.9, 3, 16)
    n = torch.arange(16, dtype=torch.int32) - 8
    out = torch.empty(16, 16, device="cuda")
    functions[(1,)](out, x.cuda(), n.cuda(), SIZE=16)
    wide = x.double()
    wanted = [
        wide / (wide * wide + 1).sqrt(),
        wide.tanh(),
        wide.abs() ** 1.5,
        (wide / 4).erfinv(),
        (x * 10 + 0.5 * x.sign()).trunc(),
        torch.tensor([math.gamma(it) for it in x.tolist()]),
        wide.fmod(torch.tensor(0.7).double()),
        torch.tensor([math.ldexp(a, b) for a, b in zip(x.tolist(), n.tolist(), strict=True)]),
        (wide * 4).trunc(),
        torch.tensor([(it & 0xFFFFFFFF).bit_count() for it in n.tolist()]),
        torch.tensor([32 - (it & 0xFFFFFFFF).bit_length() for it in n.tolist()]),
        x.view(torch.int32),
        torch.zeros(16),
        torch.tensor([signed(it << 28) * signed(it << 8) >> 32 for it in n.tolist()]),
        torch.special.ndtr(wide),
        torch.special.i0(wide),
    ]
    for mine, theirs in zip(out.cpu(), wanted, strict=True):
        same(mine, theirs.float())


def rounded():
    """A kernel's own numbers of bfloat16 are rounded."""
    x, out = torch.randn(16, device="cuda"), torch.zeros(16, device="cuda")
    through_bfloat16[(1,)](out, x, KIND=tl.float32)
    same(out, x.bfloat16().float() * 2)
    narrow = torch.zeros(16, device="cuda", dtype=torch.bfloat16)
    through_bfloat16[(1,)](narrow, x, KIND=tl.bfloat16)
    same(narrow, x.bfloat16() * 2)


def signed(number):
    """As 32 bits hold it."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def loops():
    """The variables of loops are Triton's: they have its methods, its division, which leaves the fraction away, and so many bits."""
    out = torch.full((12,), -7, dtype=torch.int32, device="cuda")
    looped[(1,)](out, 5, 50_000, PARTS=3)
    # 50,000 times itself is too large for 32 bits, and what is left after a division has the sign of what was divided.
    first, second = (it**2 - 2**32 if it**2 % 2**32 >= 2**31 else it**2 for it in (50_000, 50_002))
    rests = [int(math.fmod(it, 1000)) for it in (first, second)]
    assert out.tolist() == [-1, 0, 0, 0, 1, rests[0], -7, rests[1], -7, 0, 1, 2], out.tolist()


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


def asked_once():
    """A function that gives the grid is asked at the launch, and not at its replays."""
    x, out = torch.rand(2, 16, device="cuda")
    grids = []

    def grid(meta):
        grids.append(meta["SIZE"])
        return (1,)

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        softmax[grid](out, x, 16, SIZE=16)
    asked = len(grids)
    graph.replay()
    same(out, x.softmax(0))
    assert len(grids) == asked


def given_back():
    """Memory is given back once what was launched before has used it."""
    out = torch.zeros(32, device="cuda")

    def launched():
        x = torch.rand(32, device="cuda")
        softmax[(1,)](out, x, 32, SIZE=32)

    launched()
    torch.cuda.empty_cache()
    torch.cuda.synchronize()
    same(out.sum().cpu(), torch.ones(()))


def wrapped():
    """Tensors that Triton has wrapped: of which blocks are copied, or whose elements are taken for those of another type."""
    for dtype in (torch.float32, torch.bfloat16):
        x, out = torch.zeros(2, 8, 16, dtype=dtype, device="cuda")
        blocks = [TensorDescriptor.from_tensor(it, [4, 16]) for it in (x, out)]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            doubled_blocks[(2,)](*blocks, ROWS=4)
        for _ in range(2):
            x.normal_()
            graph.replay()
            same(out, x * 2)
    bits = torch.arange(16, dtype=torch.int32, device="cuda")
    counted[(1,)](triton.reinterpret(bits, tl.float32), torch.zeros_like(bits), 1, SIZE=16)
    assert bits.view(torch.float32).tolist() == [1.0] * 16


def blocks():
    x, out = torch.randn(6, 12, device="cuda"), torch.zeros(12, 6, device="cuda")
    transposed[(1,)](out, x, 6, 12, SIZE=8)
    same(out, x.t())


def made_by_functions():
    """Kernels use variables of the functions that make them."""
    x, out = torch.randn(2, 16, device="cuda")
    for factor in (2.0, 3.0):
        scaled_by(factor)[(1,)](out, x, SIZE=16)
        same(out, x * factor)


def by_handle():
    """What was compiled once is launched without `JITFunction`."""
    x, out = torch.zeros(2, 16, device="cuda")
    compiled = counted.warmup(out, x, 2, SIZE=16, grid=(1,))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        compiled[(1, 1, 1)](out, x, 2, 16)
    for _ in range(2):
        x.normal_()
        graph.replay()
        same(out, x + 2)


def not_computed():
    """What the interpreter would compute wrong is named, and its memory is left as it was."""
    x, out = torch.randn(16, device="cuda"), torch.zeros(16, device="cuda")
    through_float8[(1,)](out, x)  # the line that is named
    rounded_up[(1,)](out, x)
    assert not out.any()


def main():
    eager()
    of_libdevice()
    rounded()
    loops()
    tuned()
    replayed()
    asked_once()
    given_back()
    wrapped()
    blocks()
    made_by_functions()
    by_handle()
    not_computed()
    print("all computed")


if __name__ == "__main__":
    main()
