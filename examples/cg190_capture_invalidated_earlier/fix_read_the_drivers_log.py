"""The driver's own log names the call that it refused, even where no exception did."""

import contextlib
import os
import tempfile
from pathlib import Path

LOG = Path(tempfile.mkdtemp()) / "cuda.log"
os.environ["CUDA_LOG_FILE"] = str(LOG)

import torch  # noqa: E402

graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph), contextlib.suppress(RuntimeError):
        torch.cuda.synchronize()
except RuntimeError as error:
    assert "previous error during capture" in str(error)

refused = [line for line in LOG.read_text().splitlines() if "Returning 90" in line]
assert "900" in refused[0] and "cuCtxSynchronize" in refused[0]
