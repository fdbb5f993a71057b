"""Prints what it costs to ask the allocator for its snapshot, in milliseconds by number of blocks.

cgsan run --virtual -- python tests/memory/cost.py
"""

import time

import torch

blocks = []
for count in (100, 1_000, 5_000, 20_000):
    blocks += [torch.empty(600, device="cuda") for _ in range(count - len(blocks))]
    times = []
    for _ in range(9):
        torch.cuda.synchronize()
        began = time.perf_counter()
        graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            graph.capture_begin()
            blocks[0].add_(1)
            graph.capture_end()
        times.append(time.perf_counter() - began)
    print(f"{count:6} blocks: {sorted(times)[4] * 1e3:.2f} ms for a capture")
