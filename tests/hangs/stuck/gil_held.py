"""A native call that sleeps and keeps the interpreter's lock, for which another thread waits."""
# says: holds Python's global lock

import ctypes
import threading

import torch

x = torch.ones(8, device="cuda")


def count():
    while True:
        pass


def hold():
    ctypes.PyDLL(None).sleep(1000)  # cgsan: CG405


threading.Thread(target=count, daemon=True).start()
hold()
