"""A kernel of C++ that is given a structure by value, as `nvcc` builds it, and what is correct with it: the bytes between its fields hold
something else at each launch, a flag that it does not use changes, and what changes otherwise lies in memory that it reads.
"""

import ctypes
import os

import torch
from registered_kernels import Dimensions, Registered

PTX = b"""
.version 8.0
.target sm_75
.address_size 64
.visible .entry _Z5scale6Params(.param .align 8 .b8 p[40]) {
    .reg .pred %p<3>;
    .reg .b16 %rs<2>;
    .reg .b32 %f<4>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    ld.param.b64 %rd1, [p];
    ld.param.b32 %r1, [p+8];
    ld.param.b64 %rd2, [p+16];
    ld.param.b8 %rs1, [p+24];
    ld.param.b32 %f1, [p+28];
    mov.u32 %r2, %tid.x;
    setp.ge.s32 %p1, %r2, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mul.wide.s32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.b32 %f2, [%rd4];
    mul.rn.f32 %f2, %f2, %f1;
    setp.eq.b16 %p2, %rs1, 0;
    @%p2 bra once;
    add.rn.f32 %f2, %f2, %f2;
once:
    st.global.b32 [%rd5], %f2;
done:
    ret;
}
\0"""


class Params(ctypes.Structure):
    """`struct Params { const float* x; int n; float* y; bool twice; float factor; int unused; }`"""

    _fields_ = (
        ("x", ctypes.c_void_p),
        ("n", ctypes.c_int),
        ("gap", ctypes.c_char * 4),
        ("y", ctypes.c_void_p),
        ("twice", ctypes.c_bool),
        ("other_gap", ctypes.c_char * 3),
        ("factor", ctypes.c_float),
        ("unused", ctypes.c_int),
    )


class Kernel(Registered):
    def __init__(self):
        super().__init__(b"_Z5scale6Params", PTX)

    def given(self, x, y, factor, twice=False, unused=0):
        """What the function that launches it is given. What the compiler leaves between fields is whatever was there before."""
        self.params = Params(
            x.data_ptr(),
            x.numel(),
            os.urandom(4),
            y.data_ptr(),
            twice,
            os.urandom(3),
            factor,
            unused,
        )
        return self.launching(Dimensions(1, 1, 1), Dimensions(64, 1, 1), self.params)

    def launch(self, *given, **named):
        assert self.runtime.cudaLaunchKernel(*self.given(*given, **named)) == 0


class Layer:
    """Writes each batch into the tensor that the graph reads, and holds what it reads."""

    def __init__(self, kernel):
        self.kernel, self.factor, self.twice = kernel, 2.0, False
        self.x, self.y = torch.zeros(64, device="cuda"), torch.zeros(64, device="cuda")
        self.steps = 0

    def __call__(self):
        self.kernel.launch(self.x, self.y, self.factor, self.twice, unused=self.steps)

    def capture(self):
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph


def main():
    layer = Layer(Kernel())
    graph = layer.capture()
    for number in range(1, 6):
        layer.x.copy_(torch.full((64,), float(number), device="cuda"))
        layer.steps = number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
