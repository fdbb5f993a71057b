"""The bands of a filter bank are computed in a pool's threads, where the capturing stream is not the current one."""

from concurrent.futures import ThreadPoolExecutor

import torch


class FilterBank:
    def __init__(self, gains):
        self.signal = torch.zeros(8, device="cuda")
        self.gains = gains
        self.bands = torch.zeros(len(gains), 8, device="cuda")
        self.pool = ThreadPoolExecutor(2)

    def band(self, index):
        torch.mul(self.signal, self.gains[index], out=self.bands[index])  # cgsan: CG206

    def mix(self):
        list(self.pool.map(self.band, range(len(self.gains))))
        return self.bands.sum(0)


bank = FilterBank([0.5, 1.5, 2.0])
bank.mix()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):  # cgsan: label
    mixed = bank.mix()

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    bank.signal.fill_(value)
    graph.replay()
    replayed.append(mixed[0].item())
for value in (1.0, 2.0, 3.0):
    bank.signal.fill_(value)
    eager.append(bank.mix()[0].item())
bank.pool.shutdown()
print("replay", replayed, "eager", eager)
