# --- one graph a batch size, each with its own pool
import torch

buffer = torch.zeros(8, 8, device="cuda")
graphs = {}
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG303
        y = buffer[:size] * 2
    graphs[size] = graph
# --- in a helper that a loop calls
import torch


class Bank:
    def __init__(self):
        self.buffer = torch.zeros(8, 8, device="cuda")
        self.graphs = []

    def add(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            y = self.buffer[:size] * 2
        self.graphs.append(graph)


bank = Bank()
for size in range(1, 9):
    bank.add(size)
# --- by hand
import torch

buffer = torch.zeros(8, 8, device="cuda")
stream = torch.cuda.Stream()
graphs = []
with torch.cuda.stream(stream):
    for size in (8, 4, 2, 1):
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin()  # cgsan: CG303
        y = buffer[:size] * 2
        graph.capture_end()
        graphs.append(graph)
# --- silent: the pool of the first, handed on
import torch

buffer = torch.zeros(8, 8, device="cuda")
graphs, pool = [], None
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = buffer[:size] * 2
    pool = graph.pool()
    graphs.append(graph)
# --- silent: each graph takes the place of the one before
import torch

buffer = torch.zeros(8, 8, device="cuda")
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = buffer[:size] * 2
    graph.replay()
    torch.cuda.synchronize()
    graph.reset()
# --- silent: a single graph
import torch


class Runner:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2


runner = Runner()
for _ in range(4):
    runner.graph.replay()
# --- a thread reports, and captures nothing
import threading
import time

import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        threading.Thread(target=self.report, daemon=True).start()
        for size in range(1, 33):
            self.capture(size)

    def report(self):
        while True:
            time.sleep(60)
            self.show()

    def show(self):
        print(len(self.graphs))

    def capture(self, size):
        static = torch.zeros(size, 8, device="cuda")  # cgsan: CG302
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
            out = self.model(static)
        self.graphs[size] = (graph, static, out)


Server(torch.nn.LayerNorm(8).cuda())
# --- silent: each client has a thread, which captures and replays what it needs
import threading

import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.static = torch.zeros(64, 8, device="cuda")
        for size in range(1, 33):
            self.capture(size)

    def accept(self, sizes):
        for size in sizes:
            threading.Thread(target=self.serve, args=(size,)).start()

    def serve(self, size):
        if size not in self.graphs:
            self.capture(size)
        self.graphs[size][0].replay()

    def capture(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            out = self.model(self.static[:size])
        self.graphs[size] = (graph, out)


Server(torch.nn.LayerNorm(8).cuda()).accept([3, 40])
# --- silent: the same by an executor
from concurrent.futures import ThreadPoolExecutor

import torch

model = torch.nn.LayerNorm(8).cuda()
static = torch.zeros(64, 8, device="cuda")
graphs = {}


def capture(size):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph, capture_error_mode="thread_local"):
        out = model(static[:size])
    graphs[size] = (graph, out)


def serve(size):
    if size not in graphs:
        capture(size)
    graphs[size][0].replay()


for size in range(1, 33):
    capture(size)
with ThreadPoolExecutor() as executor:
    for size in (3, 40):
        executor.submit(serve, size)
# --- a class that is used elsewhere keeps the graphs in a dictionary, and in a list
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.order = []

    def warm_up(self, sizes, static):
        for size in sizes:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):  # cgsan: CG303
                out = self.model(static[:size])
            self.graphs[size] = {"graph": graph, "out": out}

    def record(self, steps, static):
        for step in steps:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):  # cgsan: CG303
                out = step(static)
            self.order.append((graph, out))


# --- silent: such a class keeps the last graph only, under one name
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.kept = [None]

    def warm_up(self, sizes, static):
        for size in sizes:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                out = self.model(static[:size])
            self.graphs["last"] = (graph, out)

    def record(self, steps, static):
        for step in steps:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                out = step(static)
            self.kept[0] = (graph, out)


# --- silent: such a class has a pool
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.pool = None

    def warm_up(self, sizes, static):
        for size in sizes:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, self.pool):
                out = self.model(static[:size])
            if self.pool is None:
                self.pool = graph.pool()
            self.graphs[size] = (graph, out)


# --- silent: captured before the threads begin, and replayed by them
import threading

import torch


class Server:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.static = torch.zeros(64, 8, device="cuda")
        for size in range(1, 33):
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph):
                out = self.model(self.static[:size])
            self.graphs[size] = (graph, out)

    def accept(self, sizes):
        for size in sizes:
            threading.Thread(target=self.serve, args=(size,)).start()

    def serve(self, size):
        graph, out = self.graphs[size]
        graph.replay()
        print(out.sum())


Server(torch.nn.LayerNorm(8).cuda()).accept([3, 30])
