"""A function that a stream calls waits for what never happens."""
# says: waits in
# attach says: waits in cudaDeviceSynchronize, which has not returned for at least
# attach says: waits for an event to be set
# attach says: CG405

import ctypes
import threading

import torch

never = threading.Event()


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def wait(_):
    never.wait()  # cgsan: CG405


cuda = ctypes.CDLL("libcudart.so.13")
stream = torch.cuda.current_stream()
cuda.cudaLaunchHostFunc(ctypes.c_void_p(stream.cuda_stream), wait, None)
torch.cuda.synchronize()
