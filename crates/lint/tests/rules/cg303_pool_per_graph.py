# --- fails
import torch


class Runner:
    def __init__(self, model, sizes):
        self.model = model
        self.static = torch.zeros(max(sizes), 8, device="cuda")
        self.graphs = {}
        for size in sizes:
            self.capture(size)

    @torch.inference_mode()
    def capture(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            out = self.model(self.static[:size])
        self.graphs[size] = (graph, out)


Runner(torch.nn.LayerNorm(8).cuda(), [8, 4, 2, 1])
# --- fixed
import torch


class Runner:
    def __init__(self, model, sizes):
        self.model = model
        self.static = torch.zeros(max(sizes), 8, device="cuda")
        self.graphs = {}
        self.pool = torch.cuda.graph_pool_handle()
        for size in sizes:
            self.capture(size)

    @torch.inference_mode()
    def capture(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            out = self.model(self.static[:size])
        self.graphs[size] = (graph, out)


Runner(torch.nn.LayerNorm(8).cuda(), [8, 4, 2, 1])
# --- lookalike
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.static = torch.zeros(8, 8, device="cuda")
        self.graph = None

    @torch.inference_mode()
    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.out = self.model(self.static)
        self.graph = graph


runner = Runner(torch.nn.LayerNorm(8).cuda())
for attempt in range(3):
    runner.capture()
    runner.graph.replay()
