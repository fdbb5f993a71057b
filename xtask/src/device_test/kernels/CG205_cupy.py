"""A number that a kernel of CuPy is given changes after the capture, and each replay uses the one of the capture."""

import sys
from pathlib import Path

import cupy

sys.path.insert(0, str(Path(__file__).parent / "of_cupy"))
from layer import Layer, on_stream_of_pytorch, scale


class Scaled(Layer):
    def __call__(self):
        with on_stream_of_pytorch():
            scale((1,), (64,), self.given())  # cgsan: CG205


def main():
    layer = Scaled()
    graph = layer.capture()
    layer.x.fill(1)
    cupy.cuda.get_current_stream().synchronize()
    replayed, called = [], []
    for number in range(1, 4):
        layer.factor = 0.5 * number
        graph.replay()
        replayed.append(layer.result())
        called.append(layer.eager())
    print("replay", replayed, "eager", called)


if __name__ == "__main__":
    main()
