"""A thread waits for a lock that another one gives back, after a long sleep."""

import threading
import time

import torch

x = torch.ones(8, device="cuda")
lock, held = threading.Lock(), threading.Event()


def load():
    with lock:
        held.set()
        time.sleep(8)


threading.Thread(target=load).start()
held.wait()
with lock:
    x.add_(1)
torch.cuda.synchronize()
