"""Capture in mode `thread_local`."""

import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    data = TensorDataset(torch.randn(8, 64))
    loader = DataLoader(data, batch_size=2, num_workers=1, pin_memory=True)
    static_input = torch.zeros(2, 64, device="cuda")
    graph = None
    for (batch,) in loader:
        static_input.copy_(batch)
        if graph is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                static_output = static_input.square().sum()
        graph.replay()
        print(static_output.item())


if __name__ == "__main__":
    main()
