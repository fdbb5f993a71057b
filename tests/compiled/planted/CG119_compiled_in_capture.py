"""A compiled function is called first in a capture."""

import torch


def main():
    function = torch.compile(lambda x: torch.relu(x) * 2 + 1)
    x = torch.ones(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(x)  # cgsan: CG119


if __name__ == "__main__":
    main()
