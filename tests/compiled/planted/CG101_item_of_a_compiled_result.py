"""A compiled function is called before the capture, and its result is read in it."""

import torch


def main():
    model = torch.compile(torch.nn.Linear(64, 64).cuda())
    x = torch.randn(8, 64, device="cuda")
    with torch.no_grad():
        model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x).sum().item()  # cgsan: CG101


if __name__ == "__main__":
    main()
