"""`record_stream` on tensors that live on: none of them is freed during the capture."""

import torch

MIB = 1 << 20
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
kept = []
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for _ in range(4):
        x = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
        side.wait_stream(origin)
        with torch.cuda.stream(side):
            x.record_stream(side)
            x.fill_(1)
        origin.wait_stream(side)
        kept.append(x)
graph.replay()
torch.cuda.synchronize()
