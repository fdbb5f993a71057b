"""A pause that is shorter than the loading of a batch leaves the pin-memory thread at work."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        time.sleep(0.1)
        return torch.ones(1 << (10 + index))


x = torch.ones(8, device="cuda")
for _ in DataLoader(Slow(), batch_size=None, num_workers=1, pin_memory=True):
    time.sleep(0.05)
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        time.sleep(1)
        y = x + 1
