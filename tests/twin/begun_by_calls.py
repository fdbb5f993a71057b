"""Captures that calls begin: one ends in the same block of code, one in a `finally`, and one in another function."""

import torch


class Settings:
    scale = 2.0


settings = Settings()
x = torch.ones(4, device="cuda")
torch.cuda.synchronize()
plain, guarded, apart = (torch.cuda.CUDAGraph() for _ in range(3))


def begin():
    apart.capture_begin()


with torch.cuda.stream(torch.cuda.Stream()):
    plain.capture_begin()
    y = x * settings.scale
    plain.capture_end()
    guarded.capture_begin()
    try:
        y = x + settings.scale
    finally:
        guarded.capture_end()
    begin()
    y = x - settings.scale
    apart.capture_end()
for graph in (plain, guarded, apart):
    graph.replay()
settings.scale = 3.0
for graph in (plain, guarded, apart):
    graph.replay()
