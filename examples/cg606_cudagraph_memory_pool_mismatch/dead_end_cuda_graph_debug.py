"""With `CUDA_GRAPH_DEBUG=1` a refused update prints nothing: neither CUDA nor PyTorch reads the variable."""

import os
import subprocess
import sys
from pathlib import Path

refused = Path(__file__).with_name("fix_ask_the_update_what_it_refused.py")
environment = dict(os.environ, CUDA_GRAPH_DEBUG="1")
run = subprocess.run(
    [sys.executable, str(refused)], env=environment, capture_output=True, text=True
)
printed = run.stdout + run.stderr
assert "pool" in printed.lower(), f"exit {run.returncode}, {len(printed)} characters printed"
