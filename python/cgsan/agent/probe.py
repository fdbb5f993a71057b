"""Tells what `cgsan env` wants to know of an interpreter: prints one JSON object."""

import json
import platform
import sys

try:
    from cgsan_agent import torch_version

    found = torch_version.find(None)
except (ImportError, SyntaxError):  # A Python too old for the agent.
    found = None

print(
    json.dumps(
        {
            "executable": sys.executable,
            "implementation": platform.python_implementation(),
            "version": platform.python_version(),
            "free_threaded": "t" in getattr(sys, "abiflags", ""),
            "torch": vars(found) if found else None,
        }
    )
)
