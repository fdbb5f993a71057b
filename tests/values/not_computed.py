"""An operator without a computation gives what nobody takes for numbers, and is named."""

import torch


def main():
    lstm = torch.nn.LSTM(4, 4).cuda()
    output, _ = lstm(torch.ones(3, 1, 4, device="cuda"))  # not computed
    assert output.isnan().all().item()
    print("poisoned")


if __name__ == "__main__":
    main()
