# --- fails
import torch
from torch import nn


def capture(model, example):
    static = example.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        scores = model(static)  # cgsan: CG209
    return graph, scores


model = nn.LayerNorm(8).cuda()
graph, scores = capture(model, torch.ones(4, 8, device="cuda"))
graph.replay()
# --- fixed
import torch
from torch import nn


def capture(model, example):
    static = example.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        scores = model(static)
    return graph, static, scores


model = nn.LayerNorm(8).cuda()
graph, static, scores = capture(model, torch.ones(4, 8, device="cuda"))
graph.replay()
# --- lookalike
import torch
from torch import nn


def benchmark(model, example):
    static = example.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        scores = model(static)
    graph.replay()
    return scores.sum().item()


print(benchmark(nn.LayerNorm(8).cuda(), torch.ones(4, 8, device="cuda")))
