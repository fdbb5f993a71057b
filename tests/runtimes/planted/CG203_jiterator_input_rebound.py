"""The attribute that a function of the jiterator reads gets the next batch, and the graph reads the first one."""

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
        layer.x = torch.full((64,), float(number), device="cuda")  # cgsan: CG203
        graph.replay()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
