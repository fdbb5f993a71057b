# --- fails
# torch: 2.9
import torch


class Offloader:
    """Keeps keys and values of finished sequences on the host."""

    def __init__(self):
        self.pages = []

    def offload(self, page):
        host = torch.empty(page.shape, pin_memory=True)  # cgsan: CG104
        host.copy_(page, non_blocking=True)
        self.pages.append(host)


offloader = Offloader()
page = torch.ones(16, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    page.mul_(2)
    offloader.offload(page)
# --- fixed
# torch: 2.9
import torch


class Offloader:
    """Keeps keys and values of finished sequences on the host."""

    def __init__(self):
        self.pages = []
        self.host = torch.empty(16, 64, pin_memory=True)

    def offload(self, page):
        self.host.copy_(page, non_blocking=True)
        self.pages.append(self.host)


offloader = Offloader()
page = torch.ones(16, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    page.mul_(2)
    offloader.offload(page)
# --- lookalike
# torch: 2.9
import torch

page = torch.ones(16, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    page.mul_(2)
pages = []
for _ in range(4):
    graph.replay()
    host = torch.empty(16, 64, pin_memory=True)
    host.copy_(page, non_blocking=True)
    pages.append(host)
