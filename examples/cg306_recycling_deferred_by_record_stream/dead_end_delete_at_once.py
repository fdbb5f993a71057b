"""A tensor given to `record_stream` stays occupied until the capture ends, however early it is deleted."""

import torch

MIB = 1 << 20
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for _ in range(4):
        x = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
        side.wait_stream(origin)
        with torch.cuda.stream(side):
            x.record_stream(side)
            x.fill_(1)
        del x
        origin.wait_stream(side)
reserved = torch.cuda.memory_reserved()
assert reserved < 2 * 64 * MIB, f"{reserved // MIB} MiB for one tensor at a time"
