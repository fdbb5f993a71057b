"""The whole `with` block runs on one worker; another thread replays the graph."""

from concurrent.futures import ThreadPoolExecutor

import torch

x = torch.ones(4, device="cuda")


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x + 1
    return graph, y


with ThreadPoolExecutor(max_workers=1) as executor:
    graph, y = executor.submit(capture).result()
graph.replay()
