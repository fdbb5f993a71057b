"""A replay runs on a stream that does not wait for what writes its input."""

import torch


def main():
    side = torch.cuda.Stream()
    x = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2  # reads
    with torch.cuda.stream(side):
        x.add_(1)  # writes
    graph.replay()
    print(y.sum().item())


if __name__ == "__main__":
    main()
