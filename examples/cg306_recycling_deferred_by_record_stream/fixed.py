"""Without `record_stream`, the tensor lives until the streams are joined, and the next one gets its memory."""

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
            x.fill_(1)
        origin.wait_stream(side)
        del x
graph.replay()
torch.cuda.synchronize()
