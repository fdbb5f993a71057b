import contextlib
import os
import signal

import torch

x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    with contextlib.suppress(RuntimeError):
        x.sum().item()
    os.kill(os.getpid(), signal.SIGKILL)
