"""Each thread has a factor of its own, and captures with it; the main thread, which has none, replays."""

import threading

import torch

own = threading.local()


def factor():
    return getattr(own, "factor", 1.0)


def scaled(x):
    return x * factor()


graphs = {}


def capture(name, value):
    own.factor = value
    x = torch.zeros(4, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        scaled(x)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        y = scaled(x)
    graphs[name] = graph, x, y


factors = {"low": 2.0, "high": 3.0}
for name, value in factors.items():
    thread = threading.Thread(target=capture, args=(name, value))
    thread.start()
    thread.join()

replayed, eager = [], []
for number in range(4):
    for name, (graph, x, y) in graphs.items():
        x.fill_(float(number))
        graph.replay()
        replayed.append(y[0].item())
        eager.append(number * factors[name])
print("replay", replayed, "eager", eager)
