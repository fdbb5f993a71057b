import torch


class Sampler:
    def __init__(self, temperature):
        self.temperature = temperature
        self.logits = torch.zeros(4, 32000, device="cuda")
        self.graph = None

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.weights = torch.softmax(self.logits / self.temperature, dim=-1)  # cgsan: CG205

    def sample(self, logits):
        self.logits.copy_(logits)
        self.graph.replay()
        return torch.multinomial(self.weights, 1)


sampler = Sampler(1.0)
sampler.capture()
for step in range(20):
    sampler.temperature = max(0.1, 1.0 - step * 0.05)
    print(sampler.sample(torch.rand(4, 32000, device="cuda")).tolist())
