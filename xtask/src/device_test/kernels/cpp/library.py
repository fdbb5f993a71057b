"""The library of `scale.cu`, which `nvcc -shared -Xcompiler -fPIC scale.cu` builds, and a layer that launches its kernel."""

import ctypes
import functools
import hashlib
import os
import pathlib
import subprocess
import tempfile

import torch

SOURCE = pathlib.Path(__file__).with_name("scale.cu")


@functools.cache
def load():
    """The library, built at the first call after a change of its source."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    built = pathlib.Path(tempfile.gettempdir(), f"cgsan-scale-{digest}.so")
    if not built.exists():
        # Several programs may build it at once: each its own file, which takes its place when it is whole.
        own = built.with_suffix(f".{os.getpid()}.so")
        command = ["nvcc", "-shared", "-Xcompiler", "-fPIC", "-arch=native", "-o", own, SOURCE]
        subprocess.run(command, check=True)
        own.rename(built)
    library = ctypes.CDLL(str(built))
    pointer = ctypes.c_void_p
    library.scale_on.argtypes = [pointer, pointer, ctypes.c_float, ctypes.c_int, pointer]
    return library


class Layer:
    def __init__(self):
        self.library, self.factor = load(), 2.0
        self.x, self.y = torch.zeros(64, device="cuda"), torch.zeros(64, device="cuda")

    def given(self):
        """What the function of the library is given."""
        stream = torch.cuda.current_stream().cuda_stream
        return self.x.data_ptr(), self.y.data_ptr(), self.factor, self.x.numel(), stream

    def __call__(self):
        assert self.library.scale_on(*self.given()) == 0

    def capture(self):
        """The graph of one call."""
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph

    def result(self):
        """The first number of the last result."""
        return self.y[0].item()

    def eager(self):
        """The same of an eager call."""
        self()
        return self.result()
