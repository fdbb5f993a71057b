# --- fails
import torch

x = torch.ones(8, device="cuda")
streams = [torch.cuda.Stream() for _ in range(32)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG506
    origin = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(origin)
        with torch.cuda.stream(stream):
            y = x + 1
    for stream in streams:
        origin.wait_stream(stream)
# --- fixed
import torch

x = torch.ones(8, device="cuda")
streams = [torch.cuda.Stream() for _ in range(4)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(origin)
        with torch.cuda.stream(stream):
            y = x + 1
    for stream in streams:
        origin.wait_stream(stream)
# --- lookalike
import torch

x = torch.ones(8, device="cuda")
streams = [torch.cuda.Stream() for _ in range(32)]
for stream in streams:
    with torch.cuda.stream(stream):
        y = x + 1
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x * 2
