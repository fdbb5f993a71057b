"""A native call that waits for a lock and keeps the interpreter's, for which the thread waits that could release it."""
# says: MainThread waits for a mutex that it has already
# says: holds Python's global lock
# attach says: waits for a mutex that it has already
# attach says: with the GIL
# attach says: CG405

import ctypes
import threading

import torch

x = torch.ones(8, device="cuda")
native = ctypes.PyDLL(None)
lock = ctypes.create_string_buffer(64)  # A mutex of pthreads.
native.pthread_mutex_lock(lock)


def release():
    while True:
        pass


def hold():
    native.pthread_mutex_lock(lock)  # cgsan: CG405


threading.Thread(target=release, daemon=True).start()
hold()
