"""A compiled function with a number that the host changes is captured by hand: the replays keep the number of the capture."""

import torch


class Sampler:
    def __init__(self):
        self.logits = torch.zeros(2, 32, device="cuda")
        self.temperature = 1.0
        self._fast = torch.compile(self._divide, dynamic=True)
        for temperature in (0.5, 0.7):
            self._fast(self.logits, temperature)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self._fast(self.logits, self.temperature)

    def _divide(self, logits, temperature):
        return torch.softmax(logits / temperature, dim=-1)  # cgsan: CG205

    def __call__(self, logits):
        self.logits.copy_(logits)
        self.graph.replay()
        return self.out.clone()


def main():
    sampler = Sampler()
    logits = torch.randn(2, 32, device="cuda")
    for temperature in (1.0, 0.8, 0.6):
        sampler.temperature = temperature
        print(temperature, sampler(logits)[0, 0].item())


if __name__ == "__main__":
    main()
