"""On an old version, turn asynchronous error handling off."""

import os

os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "0"

import torch
import torch.distributed as dist

print(torch.__version__, dist.is_available())
