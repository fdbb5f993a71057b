"""Regions that write files, print, start processes, send, sleep, take locks and memory. Run again at replays, they must leave the world as
it is."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import psutil
import torch

folder = tempfile.mkdtemp()
path = os.path.join(folder, "written")
x = torch.ones(4, device="cuda")
lock = threading.Lock()
left, right = socket.socketpair()
shared = torch.zeros(4).share_memory_()
signals = []


def writes():
    with open(path, "a") as file:
        file.write("line\n")


def prints():
    print("printed by the capture", flush=True)


def removes():
    other = os.path.join(folder, "removed")
    if os.path.exists(other):
        os.remove(other)


def starts():
    subprocess.run([sys.executable, "-c", f"open({path!r}, 'a').write('child')"], check=True)


def forks():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def sends():
    left.send(b"message")


def shares():
    shared.add_(1)


def sleeps():
    time.sleep(0.01)


def never_ends():
    while done:
        pass


def takes_a_lock():
    lock.acquire()
    lock.release()


def takes_memory():
    return bytearray(10 << 30) if done else None


def kills():
    if done:
        os.kill(os.getppid(), 9)
        os.kill(0, 9)


signal.signal(signal.SIGCHLD, lambda *_: signals.append("SIGCHLD"))
actions = (
    writes,
    prints,
    removes,
    starts,
    forks,
    sends,
    shares,
    sleeps,
    takes_a_lock,
    takes_memory,
    kills,
    never_ends,
)
torch.cuda.synchronize()
before = threading.active_count()
for action in actions:
    done = False
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):
        y = x * 2.0
        action()
        z = y + 1.0
    pathlib.Path(folder, "removed").touch()
    signals.clear()
    done = True
    with lock:
        for _ in range(4):
            graph.replay()
    try:
        os.waitpid(-1, os.WNOHANG)
        print(action.__name__, "has a child that can be waited for")
    except ChildProcessError:
        pass
    print(
        action.__name__,
        {
            "lines": pathlib.Path(path).read_text().count("\n"),
            "children": pathlib.Path(path).read_text().count("child"),
            "removed": not os.path.exists(os.path.join(folder, "removed")),
            "received": len(right.recv(1000, socket.MSG_DONTWAIT)) if action is sends else 0,
            "shared": shared[0].item(),
            "signals": signals,
            "threads": threading.active_count() - before,
        },
        flush=True,
    )
# Each ends by itself, after some seconds of a processor; a busy machine has few of them.
until = time.monotonic() + 60
while (children := psutil.Process().children()) and time.monotonic() < until:
    time.sleep(0.1)
print("children", [it.name() for it in children])
