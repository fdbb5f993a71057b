"""What computes values fails before it has begun, which the report says."""

import torch
from cgsan_agent.values import engine

engine.Engine = None
x = torch.ones(8, device="cuda") + 1
