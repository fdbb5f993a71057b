"""In a capture, the exit of a context manager fails because of the error that it is left by."""
# says: not by CUDA: KeyError: 'batch'; then RuntimeError: nothing to release

import contextlib

import torch

x = torch.ones(8, device="cuda")


@contextlib.contextmanager
def buffers():
    try:
        yield {}
    finally:
        raise RuntimeError("nothing to release")


with torch.cuda.graph(torch.cuda.CUDAGraph()), buffers() as held:
    x.add_(1)
    raise KeyError("batch")
