"""A graph copies its tokens into pinned memory; the caller waits for each replay, and keeps the tensor, or an array in its memory."""

import torch


class Sampler:
    def __init__(self):
        self.token = torch.zeros(4, dtype=torch.int64, device="cuda")
        self.on_host = torch.zeros(4, dtype=torch.int64, pin_memory=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.token.add_(1)
            self.on_host.copy_(self.token, non_blocking=True)

    def sample(self):
        self.graph.replay()  # cgsan: CG211
        torch.cuda.synchronize()
        return self.on_host


sampler = Sampler()
tensors, arrays = [], []
for _ in range(6):
    tokens = sampler.sample()
    tensors.append(tokens)
    arrays.append(tokens.numpy())
replayed = [int(tokens[0]) for tokens in (*tensors, *arrays)]
print("replay", replayed, "eager", 2 * list(range(1, 7)))
