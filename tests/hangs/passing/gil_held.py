"""A native call that keeps the interpreter's lock, for which another thread waits, and returns after some time."""
# says: holds Python's global lock

import ctypes
import threading

import torch

x = torch.ones(8, device="cuda")


def count():
    while True:
        pass


threading.Thread(target=count, daemon=True).start()
ctypes.PyDLL(None).sleep(25)
