"""An operator without a computation gives what nobody takes for numbers, and is named."""

import torch


@torch.library.custom_op("mine::doubled", mutates_args=(), device_types="cuda")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main():
    output = doubled(torch.ones(3, 4, device="cuda"))  # not computed
    assert output.isnan().all().item()
    print("poisoned")


if __name__ == "__main__":
    main()
