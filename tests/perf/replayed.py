"""Records `replayed.json.gz`: steps that copy an input, replay a graph and read a value.

cgsan run --virtual -- python replayed.py replayed.json.gz
"""

import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
batch = torch.randn(8, 64).pin_memory()
static = torch.zeros(8, 64, device="cuda")

side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model(static)
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = model(static)

activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
steps = schedule(wait=0, warmup=1, active=4, repeat=1)
with profile(activities=activities, schedule=steps) as profiled:
    for _ in range(5):
        with record_function("train step"):
            static.copy_(batch, non_blocking=True)
            graph.replay()
            out.mean().item()
        profiled.step()
profiled.export_chrome_trace(sys.argv[1])
