"""The model is put into evaluation between replays; the graph goes on dropping out, as it was captured in training."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Dropout(0.5)).cuda()
x = torch.ones(4, 16, device="cuda")


def forward():
    return model(x)  # cgsan: CG201


with torch.no_grad():
    forward()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = forward()
    for _ in range(2):
        graph.replay()
    model.eval()
    for _ in range(2):
        graph.replay()  # cgsan: label
    print("replay", int((y == 0).sum()) > 0, "eager", int((forward() == 0).sum()) > 0)
