import torch

x = torch.ones(8, device="cuda")
streams = [torch.cuda.Stream() for _ in range(16)]
for a in streams:
    for b in streams:
        for c in streams:
            for d in streams:
                for e in streams:
                    graph = torch.cuda.CUDAGraph()
                    with torch.cuda.graph(graph):
                        y = x + 1
