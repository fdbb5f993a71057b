"""An operator without a computation gives what nobody takes for numbers, and is named; what another is made of is computed."""

import torch


@torch.library.custom_op("mine::doubled", mutates_args=(), device_types="cuda")
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def main():
    x = torch.ones(3, 4, device="cuda")
    output = torch._cslt_compress(torch.ones(64, 64, dtype=torch.float16, device="cuda"))
    assert output.isnan().all().item()
    assert doubled(x).tolist() == [[2.0] * 4] * 3
    print("poisoned")


if __name__ == "__main__":
    main()
