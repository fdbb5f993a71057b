"""The attribute that a kernel of numba reads gets the next batch, and the graph reads the first one."""

import numba.cuda
import torch

# Otherwise a grid of one block is said to leave a GPU idle.
numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


@numba.cuda.jit
def scale(x, y, factor):
    place = numba.cuda.grid(1)
    if place < y.size:
        y[place] = x[place] * factor


class Layer:
    def __init__(self):
        self.x, self.y = torch.zeros(64, device="cuda"), torch.zeros(64, device="cuda")
        self.factor = 2.0

    def __call__(self):
        stream = numba.cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        scale[1, 64, stream](self.x, self.y, self.factor)

    def capture(self):
        self()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self()
        return graph


def main():
    layer = Layer()
    graph = layer.capture()
    for number in range(1, 4):
        layer.x = torch.full((64,), float(number), device="cuda")  # cgsan: CG203
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
