"""A number that a kernel of C++ is given changes after the capture, and each replay uses the one of the capture."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cpp"))
from library import Layer


class Scaled(Layer):
    def __call__(self):
        assert self.library.scale_on(*self.given()) == 0  # cgsan: CG205


def main():
    layer = Scaled()
    graph = layer.capture()
    layer.x.fill_(1)
    replayed, called = [], []
    for number in range(1, 4):
        layer.factor = 0.5 * number
        graph.replay()
        replayed.append(layer.result())
        called.append(layer.eager())
    print("replay", replayed, "eager", called)


if __name__ == "__main__":
    main()
