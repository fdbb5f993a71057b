"""Where nothing computes, nothing is verified: `cgsan.verify` says what to start the program with."""

import cgsan
import torch


def main():
    try:
        cgsan.verify(torch.neg, torch.ones(4, device="cuda"))
    except cgsan.Unusable as error:
        assert "without `--no-values`" in str(error)
        return
    raise SystemExit("it was verified")


if __name__ == "__main__":
    main()
