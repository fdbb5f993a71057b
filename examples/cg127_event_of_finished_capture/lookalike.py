"""An event of a capture is recorded anew outside it before the host asks for it."""

import torch

x = torch.ones(8, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    done.record()
graph.replay()
done.record()
done.synchronize()
