import torch

g = torch.cuda.CUDAGraph()
streams = [torch.cuda.Stream() for _ in range(16)]
for a in streams:
    for b in streams:
        for c in streams:
            for d in streams:
                for e in streams:
                    global f
                    f = e
