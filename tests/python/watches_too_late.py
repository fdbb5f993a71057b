"""A program that asks to be watched when PyTorch is there already, or where the command is not."""

import os
import sys
import types

import cgsan

os.environ["CGSAN_COMMAND"] = "/no/such/command"
try:
    cgsan.watch()
except cgsan.CommandMissing as error:
    assert "CGSAN_COMMAND" in str(error)
else:
    raise AssertionError("there is no command")

sys.modules["torch"] = types.ModuleType("torch")
try:
    cgsan.watch()
except cgsan.Unwatchable as error:
    assert "call `cgsan.watch()` first" in str(error)
else:
    raise AssertionError("it is too late")
