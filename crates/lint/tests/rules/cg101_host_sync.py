# --- fails
import torch
from logs import Metrics


class Trainer:
    def __init__(self, model):
        self.model = model
        self.metrics = Metrics()
        self.static = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def step(self):
        loss = self.model(self.static).square().mean()
        self.metrics.log("loss", loss)
        return loss

    def capture(self):
        self.step()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.loss = self.step()


Trainer(torch.nn.Linear(8, 8).cuda()).capture()


# file: logs.py
class Metrics:
    def __init__(self):
        self.values = {}

    def log(self, name, value):
        self.values[name] = value.item()  # cgsan: CG101


# --- fixed
import torch
from logs import Metrics


class Trainer:
    def __init__(self, model):
        self.model = model
        self.metrics = Metrics()
        self.static = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def step(self):
        loss = self.model(self.static).square().mean()
        self.metrics.log("loss", loss)
        return loss

    def capture(self):
        self.step()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.loss = self.step()


Trainer(torch.nn.Linear(8, 8).cuda()).capture()


# file: logs.py
class Metrics:
    def __init__(self):
        self.values = {}

    def log(self, name, value):
        self.values[name] = value


# --- lookalike
import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.static = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.model(self.static)
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.scores = self.model(self.static)

    def best(self, batch):
        self.static.copy_(batch)
        self.graph.replay()
        return self.scores.argmax().item()


server = Server(torch.nn.Linear(8, 8).cuda())
print(server.best(torch.ones(4, 8)))
