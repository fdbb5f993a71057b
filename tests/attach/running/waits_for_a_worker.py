"""A data loader's worker prepares each batch for a long time, and the main thread waits for it."""

import time

import torch


class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 1000

    def __getitem__(self, index):
        time.sleep(20)
        return torch.ones(8) * index


if __name__ == "__main__":
    x = torch.zeros(1, 8, device="cuda")
    for batch in torch.utils.data.DataLoader(Slow(), num_workers=1):
        x.copy_(batch)
