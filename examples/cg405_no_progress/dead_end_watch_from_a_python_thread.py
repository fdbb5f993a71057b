"""A watching thread in Python cannot run while the native call that blocks holds the GIL."""

import ctypes
import threading
import time

begin, woken = time.monotonic(), []
watcher = threading.Timer(0.5, lambda: woken.append(time.monotonic() - begin))
watcher.start()
ctypes.PyDLL(None).sleep(3)  # a native call that keeps the GIL
watcher.join()
assert woken[0] < 2, f"the watcher ran after {woken[0]:.1f} s"
