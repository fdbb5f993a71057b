"""Loads 4 GiB of weights and copies them: `weights.py FILE DEVICE`. Prints the nanoseconds that this took."""

import os
import sys
import time

import torch

path, device = sys.argv[1:]
if not os.path.exists(path):
    weights = {f"layers.{number}.weight": torch.randn(32, 1 << 20) for number in range(32)}
    torch.save(weights, path + ".part")
    del weights
    os.rename(path + ".part", path)
torch.zeros(8, device=device)

start = time.perf_counter_ns()
weights = torch.load(path, weights_only=True)
copies = [weight.to(device, copy=True) for weight in weights.values()]
print(time.perf_counter_ns() - start)
