"""Compiled code in the cache on disk lets the capture pass; the same program with an empty cache fails."""

import os
import subprocess
import sys
import tempfile

import torch


@torch.compile
def f(x):
    return x**2 + 3 * x + 5


def run(how, cache):
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache}
    return subprocess.run([sys.executable, __file__, how], env=environment).returncode


if len(sys.argv) == 1:
    with tempfile.TemporaryDirectory() as filled, tempfile.TemporaryDirectory() as empty:
        run("eager", filled)
        assert run("captured", filled) == run("captured", empty), "the cache decides"
elif sys.argv[1] == "eager":
    f(torch.randn(8, device="cuda"))
else:
    x = torch.randn(8, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        f(x)
