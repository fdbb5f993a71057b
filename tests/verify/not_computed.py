"""Where something is not computed, replays are not said to be right, nor wrong."""

import cgsan
import torch


def compressed(x):
    return torch._cslt_compress(x)


def half_compressed(x):
    return x + 1, torch._cslt_compress(x)


def main():
    x = torch.ones(64, 64, dtype=torch.float16, device="cuda")
    for region in (compressed, half_compressed):
        outcome = cgsan.verify(region, x, check=False)
        assert outcome.result == "undecided", outcome
        assert "does not compute `aten._cslt_compress.default`" in outcome.reason, outcome
    assert cgsan.verify(torch.neg, x).ok


if __name__ == "__main__":
    main()
