"""Graphs of `with torch.cuda.graph(…)` blocks, for `cgsan run --verify`: one is right, one holds a number, one cannot be compared."""

import contextlib

import torch


class Step:
    def __init__(self):
        self.x = torch.ones(8, device="cuda")
        self.y = torch.zeros(8, device="cuda")
        self.scale = 2.0
        self.graph = torch.cuda.CUDAGraph()

    def run(self):
        self.y.copy_(self.x * self.scale)

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.run()


@contextlib.contextmanager
def capturing(graph):
    with torch.cuda.graph(graph):
        yield


def begin(graph):
    graph.capture_begin()


def main():
    right, scaled = Step(), Step()
    right.capture()
    with capturing(scaled.graph):
        scaled.run()
    for _ in range(4):
        right.graph.replay()
    for number in range(3):
        scaled.graph.replay()
        scaled.scale = 1.0 / (number + 1)

    by_hand = torch.cuda.CUDAGraph()
    with torch.cuda.stream(torch.cuda.Stream()):
        begin(by_hand)
        right.run()
        by_hand.capture_end()
    by_hand.replay()

    unused = Step()
    unused.capture()


if __name__ == "__main__":
    main()
