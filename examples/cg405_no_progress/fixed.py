"""Both threads take the two locks in the same order."""

import threading

import torch

x = torch.ones(8, device="cuda")
graphs, streams, both = threading.Lock(), threading.Lock(), threading.Barrier(2)


def warm_up():
    both.wait()
    with graphs, streams:
        x.add_(1)


worker = threading.Thread(target=warm_up)
worker.start()
both.wait()
with graphs, streams:
    x.mul_(2)
worker.join()
torch.cuda.synchronize()
