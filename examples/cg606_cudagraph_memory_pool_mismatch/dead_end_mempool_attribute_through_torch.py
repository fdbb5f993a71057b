"""`torch.cuda.cudart()` has no `cudaMemPoolSetAttribute`, and that function would create no pool."""

import torch

x = torch.zeros(1, device="cuda")
torch.cuda.cudart().cudaMemPoolSetAttribute
