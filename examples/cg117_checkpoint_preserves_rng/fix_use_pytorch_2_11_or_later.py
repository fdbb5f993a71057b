"""Use PyTorch 2.11 or later."""

import torch

major, minor = (int(part) for part in torch.__version__.split(".")[:2])
if (major, minor) < (2, 11):
    raise SystemExit(
        "PyTorch 2.11 or later is needed to checkpoint with preserve_rng_state in a capture"
    )
