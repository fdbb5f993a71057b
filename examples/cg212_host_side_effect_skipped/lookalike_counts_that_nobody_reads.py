"""The captured code counts its calls and takes streams in turn. Nothing else reads these numbers."""

import torch


class Streams:
    def __init__(self, count):
        self.streams = [torch.cuda.Stream() for _ in range(count)]
        self.turn = 0

    def take(self):
        self.turn = (self.turn + 1) % len(self.streams)
        return self.streams[self.turn]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((4,), 2.0))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.scale


streams = Streams(3)
model = Model().cuda()


def step(x):
    main = torch.cuda.current_stream()
    results = []
    for _ in range(2):
        stream = streams.take()
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            results.append(model(x))
        main.wait_stream(stream)
    return results[0] + results[1]


x = torch.ones(4, device="cuda")
with torch.no_grad():
    step(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = step(x)
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        graph.replay()
        print("replay", y[0].item(), "eager", 4 * value)
