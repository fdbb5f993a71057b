"""A step whose launches take a small part of its time on the device has nothing to gain from a graph."""

import time

import torch

a = torch.randn(8192, 8192, device="cuda")
b = torch.empty_like(a)


def step():
    for _ in range(10):
        torch.mm(a, a, out=b)


step()
torch.cuda.synchronize()
begin = time.perf_counter()
step()
launched = time.perf_counter() - begin
torch.cuda.synchronize()
finished = time.perf_counter() - begin
print(f"launched in {launched * 1e3:.2f} ms, finished after {finished * 1e3:.2f} ms")
assert launched < finished / 2, "the device waits for the host: a graph can help"
