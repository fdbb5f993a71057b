"""A trainer clears cuBLAS's workspaces between its phases; the captured backward still writes to its own."""

import torch


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(128, 128, bias=False, device="cuda", dtype=torch.bfloat16)
        self.input = torch.ones(1 << 15, 128, device="cuda", dtype=torch.bfloat16)
        self.stream = torch.cuda.Stream()
        self.stream.wait_stream(torch.cuda.current_stream())

    def step(self):
        self.model(self.input).sum().backward()  # cgsan: label

    def capture(self):
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self.step()
        torch.cuda.synchronize()
        self.model.zero_grad()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.step()

    def train(self):
        with torch.cuda.stream(self.stream):
            self.graph.replay()  # cgsan: CG219
        torch.cuda.synchronize()


trainer = Trainer()
trainer.capture()
torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(trainer.stream):
    features = [torch.zeros(8 << 20, device="cuda") for _ in range(2)]
trainer.train()
replayed = [feature.count_nonzero().item() for feature in features]
print("replay", replayed, "eager", [0, 0])
