"""A program that `cgsan.watch()` has `cgsan run` start, to keep the folder of the run for another process.

It tells its environment in one line, and ends when its standard input does: when that process has ended.
"""

import json
import os
import sys

print(json.dumps(dict(os.environ)), flush=True)
sys.stdin.read()
