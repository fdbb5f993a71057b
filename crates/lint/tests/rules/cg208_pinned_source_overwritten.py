# --- fails
import torch


class Server:
    def __init__(self):
        self.staging = torch.zeros(8, pin_memory=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            static = self.staging.to("cuda", non_blocking=True)
            self.out = static * 2

    def submit(self, request):
        self.staging.copy_(request)  # cgsan: CG208
        self.graph.replay()


server = Server()
for request in (torch.ones(8), torch.zeros(8)):
    server.submit(request)
# --- fixed
import torch


class Server:
    def __init__(self):
        self.staging = torch.zeros(8, pin_memory=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            static = self.staging.to("cuda", non_blocking=True)
            self.out = static * 2

    def submit(self, request):
        self.staging.copy_(request)
        self.graph.replay()
        torch.cuda.current_stream().synchronize()


server = Server()
for request in (torch.ones(8), torch.zeros(8)):
    server.submit(request)
# --- lookalike
import torch


class Server:
    def __init__(self):
        self.static = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.static * 2

    def submit(self, request):
        self.static.copy_(request)
        self.graph.replay()


server = Server()
for request in (torch.ones(8), torch.zeros(8)):
    server.submit(request)
