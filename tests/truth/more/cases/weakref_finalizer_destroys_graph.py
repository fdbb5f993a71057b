import gc
import weakref
import torch

x = torch.ones(4, device="cuda")


class Runner:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = x + 1
        self.me = self


old = Runner()
gone = weakref.ref(old)
old.graph.replay()
torch.cuda.synchronize()
del old
g = torch.cuda.CUDAGraph()
gc.disable()
with torch.cuda.graph(g):
    y = x * 2
    gc.collect()
    z = y * 2
print(gone() is None)
