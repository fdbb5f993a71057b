import torch

x = torch.rand(4096, device="cuda")


def scaled():
    if not torch.cuda.is_current_stream_capturing():
        print("largest", x.max().item())
    return x * 0.5


scaled()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = scaled()
for _ in range(4):
    x.normal_()
    graph.replay()
    print(y.sum().item())
