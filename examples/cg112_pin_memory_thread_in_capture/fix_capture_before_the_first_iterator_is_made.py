"""Capture before the first iterator is made."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    static_input = torch.zeros(2, 64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static_output = static_input.square().sum()

    data = TensorDataset(torch.randn(8, 64))
    loader = DataLoader(data, batch_size=2, num_workers=1, pin_memory=True)
    for (batch,) in loader:
        static_input.copy_(batch, non_blocking=True)
        graph.replay()
        print(static_output.item())


if __name__ == "__main__":
    main()
