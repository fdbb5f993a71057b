"""The device is waited for by numba in a capture of PyTorch, which CUDA refuses."""

import numba.cuda
import torch

numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


@numba.cuda.jit
def double(x):
    x[numba.cuda.grid(1)] *= 2


def main():
    x = torch.ones(64, device="cuda")
    double[1, 64](x)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        double[1, 64, numba.cuda.external_stream(stream.cuda_stream)](x)
        numba.cuda.synchronize()  # cgsan: CG101


if __name__ == "__main__":
    main()
