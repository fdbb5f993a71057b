"""What one process may well do for longer than the limit without a call to CUDA that returns; one after the other."""

import contextlib
import io
import os
import pdb
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time

import torch
from torch.utils.data import DataLoader

LONG = 5
x = torch.ones(8, device="cuda")


def sleep():
    time.sleep(LONG)


def compute():
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def compile_in_a_child():
    program = f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    subprocess.run([sys.executable, "-c", program], check=True)


def wait_for_a_child_that_sleeps():
    subprocess.run(["sleep", str(LONG)], check=True)


class Slow(torch.utils.data.IterableDataset):
    def __iter__(self):
        time.sleep(LONG)
        yield torch.ones(2)


def load_data():
    # The default of Python 3.14 would run this file again in the worker.
    for batch in DataLoader(Slow(), batch_size=1, num_workers=1, multiprocessing_context="fork"):
        x.add_(batch.cuda().sum())


def wait_for_an_answer():
    server = socket.create_server(("127.0.0.1", 0))

    def answer():
        connection, _ = server.accept()
        time.sleep(LONG)
        connection.sendall(b"done")
        connection.close()

    threading.Thread(target=answer).start()
    with socket.create_connection(server.getsockname()) as connection:
        assert connection.recv(4) == b"done"


def debug():
    """Stands at a breakpoint until somebody types a command."""
    receives, sends = os.pipe()
    threading.Timer(LONG, lambda: os.write(sends, b"continue\n")).start()
    with os.fdopen(receives) as typed, contextlib.redirect_stdout(io.StringIO()):
        pdb.Pdb(stdin=typed, stdout=io.StringIO()).set_trace()
        x.add_(1)


def wait_for_a_signal():
    """As services do: each thread waits for another one, and a signal comes from outside."""
    told, jobs = threading.Event(), queue.Queue()
    before = signal.signal(signal.SIGTERM, lambda *_: told.set())
    # Python handles signals in its main thread, which one that another thread gets does not wake.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=jobs.get, daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    subprocess.Popen(["sh", "-c", f"sleep {LONG}; kill -TERM {os.getpid()}"])
    told.wait()
    signal.signal(signal.SIGTERM, before)
    jobs.put(None)


def wait_for_input():
    receives, sends = os.pipe()
    threading.Timer(LONG, lambda: os.write(sends, b"x")).start()
    select.select([receives], [], [])


def synchronize_now_and_then():
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        time.sleep(0.5)
        x.add_(1)
        torch.cuda.synchronize()


for phase in (
    sleep,
    compute,
    compile_in_a_child,
    wait_for_a_child_that_sleeps,
    load_data,
    wait_for_an_answer,
    debug,
    wait_for_a_signal,
    wait_for_input,
    synchronize_now_and_then,
):
    phase()
    torch.cuda.synchronize()
    print(phase.__name__, flush=True)
