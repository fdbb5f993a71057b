"""`torch.cuda.synchronize()` does not wait for the pin-memory thread."""

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
    torch.cuda.synchronize()
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        time.sleep(1)
        y = x + 1
