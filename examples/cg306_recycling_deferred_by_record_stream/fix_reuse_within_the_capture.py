"""With this option, PyTorch reuses a block within the capture once all that follows comes after its last use."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "graph_capture_record_stream_reuse:True"

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
        origin.wait_stream(side)
        del x
reserved = torch.cuda.memory_reserved()
assert reserved < 2 * 64 * MIB, f"{reserved // MIB} MiB for one tensor at a time"
