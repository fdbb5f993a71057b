"""One rank takes its time, and the other waits for it in a collective."""

import io
import os
import pdb
import socket
import subprocess
import threading
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

LONG = 5


def sleep():
    time.sleep(LONG)


def compute():
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def download():
    one, other = socket.socketpair()
    threading.Timer(LONG, lambda: other.sendall(b"done")).start()
    assert one.recv(4) == b"done"


def run_a_child():
    subprocess.run(["sleep", str(LONG)], check=True)


def debug():
    receives, sends = os.pipe()
    threading.Timer(LONG, lambda: os.write(sends, b"continue\n")).start()
    with os.fdopen(receives) as typed:
        pdb.Pdb(stdin=typed, stdout=io.StringIO()).set_trace()
        time.monotonic()


def work(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2, device_id=torch.device(rank))
    x = torch.ones(8, device="cuda")
    for phase in (sleep, compute, download, run_a_child, debug):
        if rank == 0:
            phase()
        dist.all_reduce(x)
        torch.cuda.synchronize()
        if rank == 0:
            print(phase.__name__, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, nprocs=2)
