"""`DistributedSampler` gives each rank the same number of samples, so each rank replays as often."""

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

samples = TensorDataset(torch.arange(7))
steps = []
for rank in range(2):
    sampler = DistributedSampler(samples, num_replicas=2, rank=rank, shuffle=False)
    steps.append(len(DataLoader(samples, batch_size=1, sampler=sampler)))
assert steps == [4, 4], steps
