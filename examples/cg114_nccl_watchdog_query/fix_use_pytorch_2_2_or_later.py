"""Use PyTorch 2.2 or later."""

import torch

major, minor = (int(part) for part in torch.__version__.split(".")[:2])
if (major, minor) < (2, 2):
    raise SystemExit("PyTorch 2.2 or later is needed to capture beside the NCCL watchdog")
