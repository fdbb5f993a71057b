"""The host reads pinned memory before a copy has written it."""

import torch


def main():
    x = torch.ones(4, device="cuda")
    pinned = torch.zeros(4).pin_memory()
    pinned.copy_(x * 2, non_blocking=True)  # writes
    print(pinned.sum().item())  # reads


if __name__ == "__main__":
    main()
