"""What a program may ask of cgsan: `cgsan.verify(fn, *inputs)` runs a region eagerly and by replays, and compares.

It needs PyTorch and a GPU, real or virtual, and nothing else. `cgsan run` brings it; elsewhere it is a package like others.
"""

from .outcome import Mismatch, Undecided, Unusable
from .verification import verify

__all__ = ["Mismatch", "Undecided", "Unusable", "verify"]
