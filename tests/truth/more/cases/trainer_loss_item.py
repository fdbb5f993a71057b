import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda", 0)
        self.net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1)).to(self.device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.batch = torch.randn(8, 16, device=self.device)
        self.history = []

    def step(self):
        self.opt.zero_grad(set_to_none=True)
        loss = self.net(self.batch).pow(2).mean()
        loss.backward()
        self.opt.step()
        return loss

    def record(self, loss):
        self.history.append(loss.item())

    def warm(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.record(self.step())
        torch.cuda.current_stream().wait_stream(side)

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.record(self.step())


trainer = Trainer()
trainer.warm()
trainer.capture()
