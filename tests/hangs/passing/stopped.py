"""A signal stops the process, as a batch system does, and another one lets it go on."""
# says: is stopped by a signal

import os
import signal
import subprocess

import torch

x = torch.ones(8, device="cuda")
subprocess.Popen(["sh", "-c", f"sleep 25; kill -CONT {os.getpid()}"])
os.kill(os.getpid(), signal.SIGSTOP)
