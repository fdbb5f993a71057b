"""PyTorch hands out streams of a pool in turn: more `torch.cuda.Stream()` are no more streams."""

import torch

streams = [torch.cuda.Stream() for _ in range(64)]
handles = {stream.cuda_stream for stream in streams}
assert len(handles) == 64, f"{len(streams)} objects, {len(handles)} streams of CUDA"
