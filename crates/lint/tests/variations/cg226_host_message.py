# --- objects
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
settings = [1.0]
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.broadcast_object_list(settings, src=0)  # cgsan: CG226
    y = x * 2
graph.replay()
# --- a pipe, in a method
import multiprocessing

import torch


class Worker:
    def __init__(self):
        self.receiver, self.sender = multiprocessing.Pipe(duplex=False)
        self.x = torch.ones(4, device="cuda")

    def step(self):
        self.scale = self.receiver.recv()  # cgsan: CG226
        return self.x * 2

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()


worker = Worker()
worker.capture()
worker.graph.replay()
# --- a queue between processes
import torch.multiprocessing as mp
import torch

requests = mp.Queue()
x = torch.ones(4, device="cuda")


def step(x):
    request = requests.get()  # cgsan: CG226
    return x * 2


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
graph.replay()
# --- a socket
import socket

import torch

ours, theirs = socket.socketpair()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    ours.sendall(b"step")  # cgsan: CG226
graph.replay()
# --- silent: a queue of threads, and a pipe between the replays
import multiprocessing
import queue

import torch

receiver, sender = multiprocessing.Pipe(duplex=False)
done = queue.Queue()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    done.put(1)
for _ in range(3):
    x.fill_(receiver.recv())
    graph.replay()
# --- silent: the tensor may be on the device
import torch
import torch.distributed as dist


def capture(count, x):
    dist.init_process_group("gloo")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(count)
        y = x * 2
    return graph, y
