"""A capture and a replay under the profiler, whose file is named: cgsan's time line is on the same clock."""

import sys

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.zeros(1000, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())  # the fork
        with torch.cuda.stream(side):
            y = x.cos()
        z = x.sin()
        torch.cuda.current_stream().wait_stream(side)  # the join
        w = y + z
    graph.replay()
    torch.cuda.synchronize()

profiled.export_chrome_trace(sys.argv[1])
