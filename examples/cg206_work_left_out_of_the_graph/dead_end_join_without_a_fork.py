"""The origin waits for a stream that never joined the capture, which is refused with 905."""

import torch

own = torch.cuda.Stream()
x = torch.zeros(4, device="cuda")
y = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x + 1
    with torch.cuda.stream(own):
        torch.mul(x, 2, out=y)
    torch.cuda.current_stream().wait_stream(own)
graph.replay()
