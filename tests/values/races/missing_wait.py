"""A stream reads what another one may not have written yet."""

import torch


def main():
    side = torch.cuda.Stream()
    x = torch.zeros(4, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        x.add_(1)  # writes
    y = x * 2  # reads
    print(y.sum().item())


if __name__ == "__main__":
    main()
