# --- fails
import torch


class TwoTowers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.users = torch.nn.Linear(8, 8)
        self.items = torch.nn.Linear(8, 8)
        self.side = torch.cuda.Stream()

    def forward(self, user, item):
        with torch.cuda.stream(self.side):
            right = self.items(item)  # cgsan: CG105
        left = self.users(user)
        torch.cuda.current_stream().wait_stream(self.side)
        return (left * right).sum(-1)


towers = TwoTowers().cuda()
user, item = torch.ones(4, 8, device="cuda"), torch.ones(4, 8, device="cuda")
towers(user, item)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    scores = towers(user, item)
# --- fixed
import torch


class TwoTowers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.users = torch.nn.Linear(8, 8)
        self.items = torch.nn.Linear(8, 8)
        self.side = torch.cuda.Stream()

    def forward(self, user, item):
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            right = self.items(item)
        left = self.users(user)
        torch.cuda.current_stream().wait_stream(self.side)
        return (left * right).sum(-1)


towers = TwoTowers().cuda()
user, item = torch.ones(4, 8, device="cuda"), torch.ones(4, 8, device="cuda")
towers(user, item)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    scores = towers(user, item)
# --- lookalike
import torch


class Prefetcher:
    def __init__(self, batches):
        self.batches = iter(batches)
        self.side = torch.cuda.Stream()

    def next(self):
        with torch.cuda.stream(self.side):
            batch = next(self.batches).to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(self.side)
        return batch


prefetcher = Prefetcher([torch.ones(8).pin_memory() for _ in range(4)])
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
static.copy_(prefetcher.next())
graph.replay()
