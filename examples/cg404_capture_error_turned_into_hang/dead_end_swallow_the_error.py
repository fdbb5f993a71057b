"""A rank that catches the error and returns looks successful, and nobody stops the rank that waits for it."""

import time

import torch
import torch.multiprocessing as mp


def work(rank):
    if rank == 0:
        time.sleep(8)  # in the place of a collective that waits for rank 1
        return
    x = torch.ones(8, device="cuda")
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            x.add_(1)
            raise RuntimeError("this rank cannot capture")
    except RuntimeError:
        return


if __name__ == "__main__":
    begin = time.monotonic()
    mp.spawn(work, nprocs=2)
    assert time.monotonic() - begin < 8, "rank 0 waited to its end"
