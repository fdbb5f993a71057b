"""Two threads take the same two locks, each in an order of its own."""

import threading

import torch

x = torch.ones(8, device="cuda")
graphs, streams, both = threading.Lock(), threading.Lock(), threading.Barrier(2)


def warm_up():
    with streams:
        both.wait()
        with graphs:
            x.add_(1)


worker = threading.Thread(target=warm_up)
worker.start()
with graphs:
    both.wait()
    with streams:  # cgsan: CG405
        x.mul_(2)
worker.join()
torch.cuda.synchronize()
