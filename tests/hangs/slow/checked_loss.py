"""A long training checks each loss, and then does something else: without values, what it checks is not computed."""

import time

import torch

loss = torch.ones((), device="cuda")
for _ in range(200):
    loss = loss * 0.5
    if torch.isnan(loss):
        continue
for _ in range(50):
    time.sleep(0.1)
    loss = loss * 0.5
