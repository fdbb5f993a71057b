"""A kernel that a cubin holds, of which nothing tells what lies in the structure that it is given by value, and what is correct with it: the
bytes between its fields hold something else at each launch, a number of the program that it is not given changes, and what changes
otherwise lies in memory that it reads.
"""

import base64
import ctypes
import os
import zlib

import structure_kernels
import torch
from cuda.bindings import driver

# `nvcc -cubin -arch=sm_90` (13.0) of
#     struct Params { const float* x; int n; float* y; float factor; };
#     extern "C" __global__ void scale(Params p) {
#         int i = threadIdx.x;
#         if (i < p.n) p.y[i] = p.factor * p.x[i];
#     }
CUBIN = zlib.decompress(
    base64.b64decode(
        "eNrtFk1rE0H07e4k2bZp4xfYougqCop1G7XUejJ+W7AqKh4EWbfJ1gSTbNjdlkQLplVERTx7U8SDR496UDx4EBH0qicRD6KX/gA1zsy+TTa7G78Q9eCD"
        "2Tfzvve9mTdzfs+BvaIg7JDBBREegQAtqPS6+F6Xi8kJiGdgFGKQgRSTVO287ViOPkFnHq6VfFiz8+VcFdSy6RhqeVp1zhTKk2ZrnZ3C9bTanGTNUkV3"
        "QHWMqqPaWb1oNPm+pZ3XLSMXJliGbVjTdJIGNWdMTJ3WJi29REUsoxgi6O0U5lwvFk9beiXPVxXLdEynVkGeWbYdveyk0euPwb+UIy85R0tGSTUnJ23D"
        "SXdInqaVp7Wm/Piecc2V19KaXizo9m/NbivCn8rxejokuhuDsI3T4yH6SU5PhuhX6FjlWxPE9+lQbvWG5F9xOyRE7xIYvTtEX0vpixa0/NbxkG3g8n0h"
        "+QaFNb45A+pvhuFUcrZeXwdyY7a+TuZTV2awQ448X2QJ/bi6xLPNIrpGx8sEwMHjY7vHdii7TKtC+4ALTJWyYISOU7whOFVa+V1TOV1hO7BQ1J2CWVYc"
        "0yzagwotuaHbhrJpi5oeVI4zpI6Ows6pQjGnZKmSxkkW+w65+oalbhkZ3jy8ddOwloaNupXNK3ZJ25ZWNpaUkWHFjZH1p/dSMMYTMMf+a0jmfJZ1stCd"
        "8/9d1JqLtH+JogBiLAZSQhBEakuMC0B65FbNtxLX3lLf/pifBekwrdGyBkiaIJDlMu18AG9Y/QcUIN0ysNa4QKTzEdL0x+rB8BfEnxF/Qry72W8BZPh7"
        "MHdOaPDEsSDepmCglnAZ7DCs7oMHZ+kev4T8dylIzkCC7frKxHwPvF4J413NXSbBhxS1JzbgIhbD05/DNbX/4Cw9k1fR3nMmTxpwGfkTfbC2KnL7ong9"
        "Ac9XwmxNFPkpG1iRhNuMTzifMP7TIVBmEqJ7yjMyPDsEl2pA2B+QAXrYqL/xWnt8+2qfeA0ajQsSPE5Bf82XjL+w/g//4U+CwO+tMGS8vhUh74eeDvo5"
        "FNwufFt/Mfa8INxF4ryvL3b7emM/4psRNhncwKDy34l/Pd5noTDwKr8TkCcR74qEm68203dQUMF1DGMP6o/hszoY/xMU9O5lqYP/I8DbcUj/fUC/U/wF"
        "9J8J0JP4hNrv85+M0H/h5jTk/1is/f+D8Xt1fIi0oP9qrL3OEsoF638Saxp62cXb3zoS6tYj3nlyxB6uJzqfFz98RNrODvpp366Kyl8caZXeaH/9QjuW"
        "fXH8ql4MohLWnq96hF78G3kJQjDOTnpefjzs6X0FHaaGvw=="
    )
)


class Params(ctypes.Structure):
    _fields_ = (
        ("x", ctypes.c_void_p),
        ("n", ctypes.c_int),
        ("gap", ctypes.c_char * 4),
        ("y", ctypes.c_void_p),
        ("factor", ctypes.c_float),
        ("last_gap", ctypes.c_char * 4),
    )


class Plan:
    """What the kernel is to do, as a library keeps it."""

    def __init__(self):
        self.factor, self.rate = 2.0, 0.5


class Layer(structure_kernels.Layer):
    """Such a layer whose plan holds the number."""

    def __init__(self):
        super().__init__(None)
        self.plan = Plan()
        _, module = driver.cuModuleLoadData(CUBIN)
        _, self.scale = driver.cuModuleGetFunction(module, b"scale")

    def __call__(self):
        (error,) = driver.cuLaunchKernel(*self.given(self.plan.factor))
        assert error == 0

    def given(self, factor):
        """What the function that launches it is given."""
        gaps = os.urandom(4), os.urandom(4)
        self.params = Params(
            self.x.data_ptr(), self.x.numel(), gaps[0], self.y.data_ptr(), factor, gaps[1]
        )
        self.pointers = (ctypes.c_void_p * 1)(ctypes.addressof(self.params))
        stream = torch.cuda.current_stream().cuda_stream
        return self.scale, 1, 1, 1, 64, 1, 1, 0, stream, ctypes.addressof(self.pointers), 0


def main():
    layer = Layer()
    graph = layer.capture()
    for number in range(1, 6):
        layer.x.copy_(torch.full((64,), float(number), device="cuda"))
        layer.plan.rate = 0.5 * number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
