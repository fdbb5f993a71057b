# --- a watchdog of a class of its own is let go inside the capture
import threading

import torch


class Watchdog(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.tick, self.ticked = threading.Event(), threading.Event()

    def run(self):
        self.tick.wait()
        torch.cuda.synchronize()  # cgsan: CG111
        self.ticked.set()


dog = Watchdog()
dog.start()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    dog.tick.set()
    dog.ticked.wait(5)
dog.join()
# --- a task that was submitted before the capture goes on inside it
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

go = threading.Event()


def flush():
    go.wait(5)
    torch.cuda.synchronize()  # cgsan: CG111


x = torch.ones(4, device="cuda")
pool = ThreadPoolExecutor(1)
graph = torch.cuda.CUDAGraph()
future = pool.submit(flush)
with torch.cuda.graph(graph):
    y = x + 1
    go.set()
    future.exception()
# --- a thread with arguments of both kinds
import threading

import torch


def flush(stream, *, whole):
    if whole:
        torch.cuda.synchronize()  # cgsan: CG111


x = torch.ones(4, device="cuda")
thread = threading.Thread(target=flush, args=(None,), kwargs={"whole": True})
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    thread.start()
    y = x + 1
    thread.join()
# --- the main thread waits for the device while another one captures
import threading

import torch

x = torch.ones(4, device="cuda")
inside, leave = threading.Event(), threading.Event()


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.add_(1)
        inside.set()
        leave.wait(5)


thread = threading.Thread(target=capture)
thread.start()
inside.wait()
torch.cuda.synchronize()  # cgsan: CG111
leave.set()
thread.join()
# --- a thread captures with arguments of its own
import threading

import torch


def capture(x, out):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out.append(x.sum().item())  # cgsan: CG101


out = []
thread = threading.Thread(target=capture, args=(torch.ones(4, device="cuda"), out))
thread.start()
thread.join()
# --- a thread begins a capture, and the main thread ends it
import threading

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()


def begin():
    torch.cuda.set_stream(stream)
    graph.capture_begin()


torch.cuda.synchronize()
thread = threading.Thread(target=begin)
thread.start()
thread.join()
with torch.cuda.stream(stream):
    y = x + 1
    graph.capture_end()  # cgsan: CG125
# --- two tasks meet at a barrier inside the capture
import threading

import torch

barrier = threading.Barrier(2, timeout=5)


def work():
    barrier.wait()
    torch.cuda.synchronize()  # cgsan: CG111
    barrier.wait()


x = torch.ones(4, device="cuda")
thread = threading.Thread(target=work)
thread.start()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    barrier.wait()
    barrier.wait()
thread.join()
# --- silent: the watchdog is let go after the capture only
import threading

import torch


class Watchdog(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.tick = threading.Event()

    def run(self):
        self.tick.wait()
        torch.cuda.synchronize()


dog = Watchdog()
dog.start()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
dog.tick.set()
dog.join()
# --- silent: the task has ended before the capture, in three ways
import concurrent.futures
from concurrent.futures import ThreadPoolExecutor

import torch

x = torch.ones(4, device="cuda")
with ThreadPoolExecutor(2) as pool:
    pool.submit(torch.cuda.synchronize)
pool = ThreadPoolExecutor(2)
futures = [pool.submit(torch.cuda.synchronize), pool.submit(torch.cuda.synchronize)]
concurrent.futures.wait(futures)
pool.submit(torch.cuda.synchronize).result()
list(pool.map(lambda value: value.item(), [x.sum(), x.max()]))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
# --- silent: a short task that was submitted before the capture
from concurrent.futures import ThreadPoolExecutor

import torch

x = torch.ones(4, device="cuda")
pool = ThreadPoolExecutor(1)
graph = torch.cuda.CUDAGraph()
future = pool.submit(torch.cuda.synchronize)
with torch.cuda.graph(graph):
    y = x + 1
future.result()
# --- silent: a barrier before the capture, and one after it
import threading

import torch

barrier = threading.Barrier(2, timeout=5)


def work():
    torch.cuda.synchronize()
    barrier.wait()
    barrier.wait()
    torch.cuda.synchronize()


x = torch.ones(4, device="cuda")
thread = threading.Thread(target=work)
thread.start()
barrier.wait()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
barrier.wait()
thread.join()
# --- silent: the worker waits for a condition, or for a place
import threading

import torch

condition, places = threading.Condition(), threading.Semaphore(0)
state = {"done": False}


def one():
    with condition:
        condition.wait_for(lambda: state["done"])
    torch.cuda.synchronize()


def other():
    places.acquire()
    torch.cuda.synchronize()


threads = [threading.Thread(target=one), threading.Thread(target=other)]
for thread in threads:
    thread.start()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
with condition:
    state["done"] = True
    condition.notify_all()
places.release()
for thread in threads:
    thread.join()
# --- silent: all that was in the queue is done before the capture
import queue
import threading

import torch

jobs = queue.Queue()


def work():
    while True:
        job = jobs.get()
        if job is None:
            break
        torch.cuda.synchronize()
        jobs.task_done()


thread = threading.Thread(target=work)
thread.start()
jobs.put(1)
jobs.join()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
jobs.put(None)
thread.join()
# --- silent: the main thread waits for the device once the other has captured
import threading

import torch

x = torch.ones(4, device="cuda")
inside, leave = threading.Event(), threading.Event()


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.add_(1)
        inside.set()
        leave.wait(5)


thread = threading.Thread(target=capture)
thread.start()
inside.wait()
leave.set()
thread.join()
torch.cuda.synchronize()
