# --- fails
import torch


class KeyValueCache:
    def __init__(self):
        self.keys = torch.zeros(16, 8, device="cuda")
        self.length = 0

    def append(self, key):
        self.keys[self.length].copy_(key)
        self.length += 1  # cgsan: CG212


cache = KeyValueCache()
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.append(key)
for _ in range(8):
    graph.replay()
# --- fixed
import torch


class KeyValueCache:
    def __init__(self):
        self.keys = torch.zeros(16, 8, device="cuda")
        self.length = torch.zeros(1, dtype=torch.long, device="cuda")

    def append(self, key):
        self.keys.index_copy_(0, self.length, key.unsqueeze(0))
        self.length += 1


cache = KeyValueCache()
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.append(key)
for _ in range(8):
    graph.replay()
# --- lookalike
import torch


class Engine:
    def __init__(self):
        self.steps = 0
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            layers = 0
            self.y = self.x
            for _ in range(4):
                self.y = self.y * 2
                layers += 1

    def step(self):
        self.graph.replay()
        self.steps += 1


engine = Engine()
for _ in range(8):
    engine.step()
