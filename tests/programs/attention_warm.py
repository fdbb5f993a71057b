"""A transformer layer is captured after a warm-up."""

import torch

layer = torch.nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True).cuda().half()
x = torch.ones(2, 16, 64, device="cuda", dtype=torch.half)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(2):
        layer(x).sum().backward()
torch.cuda.current_stream().wait_stream(side)
layer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    layer(x).sum().backward()
graph.replay()
torch.cuda.synchronize()
