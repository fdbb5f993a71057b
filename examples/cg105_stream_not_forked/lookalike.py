"""A second stream joins the capture at two removes: through a third one."""

import torch

x = torch.ones(1024, device="cuda")
near = torch.cuda.Stream()
far = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    near.wait_stream(origin)
    far.wait_stream(near)
    with torch.cuda.stream(far):
        left = x.cos()
    near.wait_stream(far)
    origin.wait_stream(near)
    y = left + x.sin()
graph.replay()
