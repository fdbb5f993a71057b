"""Two graphs run at the same time on two streams: each needs temporaries of its own."""

import torch

x = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
graphs = []
for _ in range(2):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        temporary = x * 2
        out = temporary[:1].clone()
        del temporary
    graphs.append((graph, out, torch.cuda.Stream()))

for graph, out, stream in graphs:
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.replay()
for _, out, stream in graphs:
    torch.cuda.current_stream().wait_stream(stream)
torch.cuda.synchronize()
