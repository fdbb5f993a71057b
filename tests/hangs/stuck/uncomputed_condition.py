"""A loop ends when a kernel has computed that it is to, as `generate` of transformers does; without values, none has."""
# options: --no-values
# says: decides again and again by a truth value that no kernel computes

import torch

finished = torch.zeros(1, dtype=torch.long, device="cuda")
while not torch.eq(finished.max(), 0):  # cgsan: CG405
    pass
