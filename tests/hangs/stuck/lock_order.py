"""Two threads take two locks, each in an order of its own."""
# says: every thread waits for a lock
# attach says: has not run for at least
# attach says: CG405

import threading

import torch

x = torch.ones(8, device="cuda")
first, second, both = threading.Lock(), threading.Lock(), threading.Barrier(2)


def other():
    with second:
        both.wait()
        with first:
            x.add_(1)


threading.Thread(target=other).start()
with first:
    both.wait()
    with second:  # cgsan: CG405
        x.add_(1)
