"""A replay computes with the tensor of its capture and not with the new one of that name, as on a GPU."""

import torch


def main():
    x = torch.full((4,), 2.0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 3 + 1
    x = torch.full((4,), 5.0, device="cuda")  # cgsan: CG203
    graph.replay()
    assert y.tolist() == [7.0] * 4
    assert x.tolist() == [5.0] * 4


if __name__ == "__main__":
    main()
