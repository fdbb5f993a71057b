"""The process is stopped by a signal, as by a batch system or a stray Ctrl-Z."""
# says: is stopped by a signal

import os
import signal

import torch

x = torch.ones(8, device="cuda")
os.kill(os.getpid(), signal.SIGSTOP)  # cgsan: CG405
