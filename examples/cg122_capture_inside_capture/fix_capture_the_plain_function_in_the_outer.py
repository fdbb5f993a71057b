"""Inside a capture the helper runs its plain function, whose work becomes part of the outer graph."""

import torch

inner_graph = torch.cuda.CUDAGraph()


def plain(t):
    return t + 1


def graphed(t):
    if torch.cuda.is_current_stream_capturing():
        return plain(t)
    with torch.cuda.graph(inner_graph):
        result = plain(t)
    inner_graph.replay()
    return result


a = torch.ones(64, device="cuda")
graphed(a)
outer = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    c = graphed(a) * 2
outer.replay()
