import torch
g = torch.cuda.CUDAGraph()
g.replay()
