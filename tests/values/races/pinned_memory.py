"""The host changes pinned memory before a copy has read it."""

import torch


def main():
    pinned = torch.ones(4).pin_memory()
    x = pinned.to("cuda", non_blocking=True)  # reads
    pinned.fill_(7)  # writes
    print((x + 1).sum().item())


if __name__ == "__main__":
    main()
