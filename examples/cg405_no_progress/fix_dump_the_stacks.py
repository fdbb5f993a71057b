"""`faulthandler` writes every thread's stack on time, also while a native call blocks and holds the GIL."""

import ctypes
import faulthandler
import tempfile


def blocked():
    ctypes.PyDLL(None).sleep(3)  # a native call that keeps the GIL


with tempfile.TemporaryFile("w+") as stacks:
    faulthandler.dump_traceback_later(1, file=stacks)
    blocked()
    faulthandler.cancel_dump_traceback_later()
    stacks.seek(0)
    text = stacks.read()
assert "in blocked" in text, text
