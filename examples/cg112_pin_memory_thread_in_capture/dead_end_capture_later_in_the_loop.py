"""A capture later in the loop meets the pin-memory thread as well."""

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
for step, _ in enumerate(DataLoader(Slow(), batch_size=None, num_workers=1, pin_memory=True)):
    if step == 4:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            time.sleep(1)
            y = x + 1
