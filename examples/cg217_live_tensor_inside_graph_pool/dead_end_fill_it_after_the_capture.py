"""What is written to the buffer after the capture is lost at the next replay."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = x.clone()
    y = temporary.clone()
    del temporary
    table = torch.empty_like(x)  # takes the block of `temporary`

table.copy_(torch.tensor([7.0, 8.0]))
torch.cuda.synchronize()
graph.replay()
assert table.tolist() == [7.0, 8.0], table.tolist()
