"""A loader's thread fills the static input, once while the capture goes on, and again before each replay."""

from concurrent.futures import ThreadPoolExecutor

import torch


class Loader:
    def __init__(self):
        self.staging = torch.zeros(4, device="cuda")
        self.static = torch.zeros(4, device="cuda")
        self.thread = ThreadPoolExecutor(1)

    def load(self, value):
        self.staging.fill_(value)
        self.static.copy_(self.staging)

    def start(self, value):
        return self.thread.submit(self.load, value)


loader = Loader()
loader.start(1.0).result()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    loader.start(1.0).result()
    y = loader.static * 2 + 1

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    loader.start(value).result()
    graph.replay()
    replayed.append(y[0].item())
    eager.append((loader.static * 2 + 1)[0].item())
loader.thread.shutdown()
print("replay", replayed, "eager", eager)
