# --- fails
import torch


class Pipeline(torch.nn.Module):
    def __init__(self, stages):
        super().__init__()
        self.stages = torch.nn.ModuleList(torch.nn.LayerNorm(8) for _ in range(stages))
        self.side = torch.cuda.Stream()

    def send(self, x):
        hidden = x * 2
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            sent = hidden + 1
        hidden.record_stream(self.side)  # cgsan: CG306

    def forward(self, x):
        for stage in self.stages:
            self.send(x)
            x = stage(x)
        torch.cuda.current_stream().wait_stream(self.side)
        return x


pipeline = Pipeline(2).cuda()
x = torch.ones(1 << 16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = pipeline(x)
# --- fixed
import torch


class Pipeline(torch.nn.Module):
    def __init__(self, stages):
        super().__init__()
        self.stages = torch.nn.ModuleList(torch.nn.LayerNorm(8) for _ in range(stages))
        self.side = torch.cuda.Stream()

    def send(self, x):
        hidden = x * 2
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            sent = hidden + 1
        torch.cuda.current_stream().wait_stream(self.side)

    def forward(self, x):
        for stage in self.stages:
            self.send(x)
            x = stage(x)
        torch.cuda.current_stream().wait_stream(self.side)
        return x


pipeline = Pipeline(2).cuda()
x = torch.ones(1 << 16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = pipeline(x)
# --- lookalike
import torch


class Prefetcher:
    def __init__(self):
        self.side = torch.cuda.Stream()

    def load(self, host):
        with torch.cuda.stream(self.side):
            batch = host.to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(self.side)
        batch.record_stream(torch.cuda.current_stream())
        return batch


prefetcher = Prefetcher()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
for _ in range(4):
    static.copy_(prefetcher.load(torch.ones(8).pin_memory()))
    graph.replay()
