"""A kernel of C++ as `nvcc` builds it: its code is registered when the program starts, and launched by the address of a function. The
repaired twins of the planted programs that use it.

What `nvcc` writes into a library for that is done here in Python, so that no compiler is needed.
"""

import ctypes
import struct

import torch

PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z5scalePKfPffi(.param .u64 x, .param .u64 y, .param .f32 factor, .param .u32 n) {
    .reg .pred %p<2>;
    .reg .f32 %f<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mul.wide.s32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%rd5], %f2;
done:
    ret;
}
\0"""
NAME = b"_Z5scalePKfPffi"


class Dimensions(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint) for name in "xyz")


class Wrapper(ctypes.Structure):
    """`__fatBinC_Wrapper_t` (`fatbinary_section.h`)."""

    _fields_ = (
        ("magic", ctypes.c_uint),
        ("version", ctypes.c_uint),
        ("data", ctypes.c_char_p),
        ("more", ctypes.c_void_p),
    )


def binary(code):
    """A fat binary with the PTX alone."""
    text = code.ljust(-(-len(code) // 8) * 8, b"\0")
    version, architecture, flags = 8 << 16, 75, 0x11
    rest = 0, 0, version, architecture, 0, flags, 0, 0
    head = struct.pack("<HHIQIIIIQQQQ", 1, 0x101, 64, len(text), *rest)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(head) + len(text)) + head + text


class Registered:
    """A kernel of this name in a text of PTX."""

    def __init__(self, name, code):
        self.runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.partition('.')[0]}")
        # Whoever registers a binary keeps it.
        self.registered = Wrapper(0x466243B1, 1, binary(code), None)
        self.stands = ctypes.CFUNCTYPE(None)(lambda: None)
        self.symbol = ctypes.cast(self.stands, ctypes.c_void_p)
        register = getattr(self.runtime, "__cudaRegisterFatBinary")
        register.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(register(ctypes.byref(self.registered)))
        nothing = [None] * 5
        getattr(self.runtime, "__cudaRegisterFunction")(
            handle, self.symbol, name, name, -1, *nothing
        )
        getattr(self.runtime, "__cudaRegisterFatBinaryEnd")(handle)

    def launching(self, grid, block, *values):
        """What the function that launches it is given, with these values in its parameters."""
        # Until the next launch, which is longer than needed.
        self.values = values
        pointers = [ctypes.cast(ctypes.byref(it), ctypes.c_void_p) for it in values]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        given = (ctypes.c_void_p * len(values))(*pointers)
        return self.symbol, grid, block, given, ctypes.c_size_t(0), stream


class Kernel(Registered):
    def __init__(self):
        super().__init__(NAME, PTX)

    def launch(self, x, y, factor):
        """`scale<<<1, 64, 0, stream>>>(x, y, factor, x.numel())`"""
        assert self.runtime.cudaLaunchKernel(*self.given(x, y, factor)) == 0

    def given(self, x, y, factor):
        """What the function that launches it is given."""
        return self.launching(
            Dimensions(1, 1, 1),
            Dimensions(64, 1, 1),
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_void_p(y.data_ptr()),
            ctypes.c_float(factor),
            ctypes.c_int(x.numel()),
        )


class Layer:
    """Writes each batch into the tensor that the graph reads, and holds what it reads."""

    def __init__(self, kernel):
        self.kernel, self.factor = kernel, 2.0
        self.x, self.y = torch.zeros(64, device="cuda"), torch.zeros(64, device="cuda")
        self.steps = 0

    def __call__(self):
        self.kernel.launch(self.x, self.y, self.factor)

    def capture(self):
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph


def main():
    layer = Layer(Kernel())
    graph = layer.capture()
    last = None
    for number in range(1, 4):
        batch = torch.full((64,), float(number), device="cuda")
        layer.x.copy_(batch)
        # Neither a number nor a tensor that the kernel is not given is part of the graph.
        layer.steps, layer.batch = number, batch
        graph.replay()
        last = layer.y.clone()
    torch.cuda.synchronize()
    del last


if __name__ == "__main__":
    main()
