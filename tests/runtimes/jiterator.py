"""The repaired twins of the planted programs with functions of the jiterator: the graph reads what is written before each replay."""

import torch

scaled = torch.cuda.jiterator._create_jit_fn(
    "template <typename T> T scaled(T x, T factor) { return x * factor; }", factor=1.0
)


class Layer:
    def __init__(self):
        self.x, self.y = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
        self.factor, self.steps = 2.0, 0

    def __call__(self):
        self.y.copy_(scaled(self.x, factor=self.factor))

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
        layer.x.copy_(torch.full((64,), float(number), device="cuda"))
        layer.steps = number
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
