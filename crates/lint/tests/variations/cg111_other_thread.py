# --- a watchdog's method waits for the device
import threading

import torch


class Watchdog:
    def __init__(self):
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def start(self):
        self.thread.start()

    def watch(self):
        torch.cuda.synchronize()  # cgsan: CG111


watchdog = Watchdog()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    watchdog.start()
    y = x + 1
    watchdog.thread.join()
# --- a poller asks for its own event, given to it as an argument
from threading import Thread

import torch
from torch.cuda import CUDAGraph, Event, graph


def poll(event):
    while not event.query():  # cgsan: CG111
        pass


event = Event()
event.record()
poller = Thread(target=poll, args=(event,))
x = torch.ones(8, device="cuda")
with graph(CUDAGraph()):
    poller.start()
    y = x + 1
    poller.join()
# --- a thread that loads the next weights, around a capture by hand
import threading

import torch


def load_weights(shards):
    for _ in range(4):
        shards.append(torch.empty(4096, 4096, device="cuda"))  # cgsan: CG111


shards = []
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    graph.capture_begin()
    loader = threading.Thread(target=load_weights, kwargs={"shards": shards})
    loader.start()
    y = x + 1
    loader.join()
    graph.capture_end()
# --- a lambda that an executor runs
from concurrent.futures import ThreadPoolExecutor

import torch

x = torch.ones(8, device="cuda")
done = torch.cuda.Event()
done.record()
graph = torch.cuda.CUDAGraph()
with ThreadPoolExecutor(max_workers=1) as pool:
    with torch.cuda.graph(graph):
        future = pool.submit(lambda: done.query())  # cgsan: CG111
        y = x + 1
        future.result()
# --- a subclass of `Thread`
import threading

import torch


class Monitor(threading.Thread):
    def run(self):
        torch.cuda.synchronize()  # cgsan: CG111


monitor = Monitor()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    monitor.start()
    y = x + 1
    monitor.join()
# --- silent: mode `thread_local` lets other threads ask and allocate
import threading

import torch

event = torch.cuda.Event()
event.record()


def work():
    event.query()
    torch.empty(4096, 4096, device="cuda")


thread = threading.Thread(target=work)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    thread.start()
    y = x + 1
    thread.join()
# --- silent: the thread is joined before the capture
import threading

import torch

thread = threading.Thread(target=torch.cuda.synchronize)
thread.start()
thread.join()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
# --- silent: the thread works on the host only
import threading

import torch


def tokenize(out):
    batch = torch.arange(1024).reshape(32, 32)
    out.append(batch.sum().item())


out = []
thread = threading.Thread(target=tokenize, args=(out,))
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    thread.start()
    y = x + 1
    thread.join()
