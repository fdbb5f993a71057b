"""A rank that lets the error of its capture end it ends the others too: the launcher stops them."""

import time

import torch
import torch.multiprocessing as mp


def work(rank):
    if rank == 0:
        time.sleep(600)  # in the place of a collective that waits for rank 1
    x = torch.ones(8, device="cuda")
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.add_(1)
        raise RuntimeError("this rank cannot capture")


if __name__ == "__main__":
    begin = time.monotonic()
    try:
        mp.spawn(work, nprocs=2)
    except mp.ProcessRaisedException as error:
        assert "this rank cannot capture" in str(error)
    assert time.monotonic() - begin < 300, "rank 0 was not stopped"
