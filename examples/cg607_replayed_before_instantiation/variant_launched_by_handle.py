"""A launcher captures a graph by hand, and launches a handle that no instantiation has filled."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
x = torch.ones(256, device="cuda")
torch.cuda.synchronize()
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)


class Launcher:
    def __init__(self):
        self.graph, self.executable = ctypes.c_void_p(), ctypes.c_void_p()

    def capture(self, address, size):
        memory, size = ctypes.c_void_p(address), ctypes.c_size_t(size)
        assert cudart.cudaStreamBeginCapture(stream, 2) == 0
        assert cudart.cudaMemsetAsync(memory, 0, size, stream) == 0
        assert cudart.cudaStreamEndCapture(stream, ctypes.byref(self.graph)) == 0

    def launch(self):
        code = cudart.cudaGraphLaunch(self.executable, stream)  # cgsan: CG607
        assert code == 0, code


launcher = Launcher()
launcher.capture(x.data_ptr(), x.untyped_storage().nbytes())
launcher.launch()
torch.cuda.synchronize()
