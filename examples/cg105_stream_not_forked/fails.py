"""Half of the work goes to a second stream, which never learnt that a capture began."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()


def both_halves():
    with torch.cuda.stream(side):
        left = x.cos()  # cgsan: CG105
    right = x.sin()
    torch.cuda.current_stream().wait_stream(side)
    return left + right


both_halves()  # Outside a capture it works.
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = both_halves()
graph.replay()
