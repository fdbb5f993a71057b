"""The program of steps.py behind a graph that reads freed memory: what is found at the beginning is found when all else is long gone."""

import steps
import torch


def reads_freed_memory():
    data = torch.ones(1024, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = data * 2
    del data
    other = torch.full((1024,), 3.0, device="cuda")
    graph.replay()
    return result, other


if __name__ == "__main__":
    reads_freed_memory()
    steps.main()
