"""A prefetch on a side stream still reads a temporary of the main stream, which gives its memory to the next layer."""

import torch


class Model:
    def __init__(self):
        self.side = torch.cuda.Stream()
        self.x = torch.full((1 << 20,), 2.0, device="cuda")

    def forward(self):
        main = torch.cuda.current_stream()
        hidden = self.x * 3  # cgsan: label
        self.side.wait_stream(main)
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(20_000_000)  # stands for a slow copy
            logged = hidden + 1  # cgsan: label
        hidden = self.layer(hidden)  # cgsan: label
        y = hidden + 7  # cgsan: CG221
        main.wait_stream(self.side)
        return y, logged

    def layer(self, hidden):
        return hidden * 2


model = Model()
model.forward()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y, logged = model.forward()
graph.replay()
torch.cuda.synchronize()
print("replay", [y[0].item(), logged[0].item()], "eager", [19.0, 7.0])
