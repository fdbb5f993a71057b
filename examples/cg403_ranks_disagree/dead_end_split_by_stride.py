"""Every second sample for every second rank: with an odd number one rank has a step, and a replay, more."""

import torch
from torch.utils.data import DataLoader, Subset, TensorDataset

samples = TensorDataset(torch.arange(7))
steps = []
for rank in range(2):
    own = Subset(samples, range(rank, len(samples), 2))
    steps.append(len(DataLoader(own, batch_size=1)))
assert steps[0] == steps[1], f"steps of the ranks: {steps}"
