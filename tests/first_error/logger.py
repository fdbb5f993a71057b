"""In a capture, the program handles an error of its own, and what it writes about it reads a tensor of the GPU."""
# says: `ValueError: bad batch` came first, at logger.py:14

import torch

x = torch.ones(8, device="cuda")


def report(error):
    print("step failed:", error, x)  # cgsan: CG101


def step():
    raise ValueError("bad batch")


with torch.cuda.graph(torch.cuda.CUDAGraph()):
    try:
        step()
    except ValueError as error:
        report(error)
