# --- one graph a batch size, each with its own pool
import torch

buffer = torch.zeros(8, 1 << 20, device="cuda")
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
        self.buffer = torch.zeros(8, 1 << 20, device="cuda")
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

buffer = torch.zeros(8, 1 << 20, device="cuda")
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
        static = torch.zeros(size, 1 << 16, device="cuda")  # cgsan: CG302
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
            out = self.model(static)
        self.graphs[size] = (graph, static, out)


Server(torch.nn.LayerNorm(1 << 16).cuda())
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
# --- captured when first asked for, by a class that others use
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.graphs = {}

    def capture(self, key):
        static = torch.zeros(key, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
            out = self.model(static)
        return graph, static, out

    def __call__(self, x):
        key = tuple(x.shape)
        if key not in self.graphs:
            self.graphs[key] = self.capture(key)
        graph, static, out = self.graphs[key]
        static.copy_(x)
        graph.replay()
        return out.clone()


# --- the method that captures stores it, as a dictionary or as an object with it
import torch


class Entry:
    def __init__(self, graph, out):
        self.graph = graph
        self.out = out


class Decoder:
    def __init__(self, model, static):
        self.model = model
        self.static = static
        self.cache = {}
        self.entries = {}

    def decode(self, prompt_len):
        if prompt_len not in self.cache:
            self.record(prompt_len)
        self.cache[prompt_len]["graph"].replay()
        return self.cache[prompt_len]["out"].clone()

    def record(self, prompt_len):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            out = self.model(self.static[:prompt_len])
        self.cache[prompt_len] = {"graph": graph, "out": out}

    def entry(self, batch):
        rows = batch.shape[0]
        found = self.entries.get(rows)
        if found is None:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):  # cgsan: CG303
                out = self.model(self.static[:rows])
            found = self.entries[rows] = Entry(graph, out)
        return found


# --- by a comprehension, as functions that replay them
import torch

x = torch.zeros(32, 1 << 16, device="cuda")


def capture(rows):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG303
        out = (x[:rows] * 2).softmax(-1)

    def replay():
        graph.replay()
        return out

    return replay


replays = {rows: capture(rows) for rows in (32, 16, 8)}
print(replays[8]().sum().item())
# --- in a list, of a number of sizes that is not known
import torch

x = torch.zeros(32, 1 << 16, device="cuda")


def capture(rows):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG303
        out = (x[:rows] * 2).softmax(-1)
    return graph, out


def capture_all(sizes):
    return [capture(rows) for rows in sizes]


# --- by a dictionary that captures what it does not have
import torch


class GraphCache(dict):
    def __missing__(self, rows):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            y = base[:rows].square().sum(-1)
        self[rows] = (graph, y)
        return self[rows]


base = torch.rand(128, 1 << 16, device="cuda")
cache = GraphCache()
for rows in (32, 64, 128, 32):
    base.uniform_()
    graph, y = cache[rows]
    graph.replay()
    print(rows, y.sum().item())
# --- silent: a pool for all, made at once, at the first capture, or by the module
import torch

POOL = None


class Runner:
    def __init__(self, model, static):
        self.model = model
        self.static = static
        self.graphs = {}
        self.pool = torch.cuda.graph_pool_handle()

    def get(self, rows):
        if rows not in self.graphs:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                out = self.model(self.static[:rows])
            self.graphs[rows] = (graph, out)
        return self.graphs[rows]

    def get_more(self, rows, **options):
        if rows not in self.graphs:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, **options):
                out = self.model(self.static[:rows])
            self.graphs[rows] = (graph, out)
        return self.graphs[rows]

    def first(self, rows):
        global POOL
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=POOL):
            out = self.model(self.static[:rows])
        if POOL is None:
            POOL = graph.pool()
        self.graphs[rows] = (graph, out)


# --- silent: under a key that is no other at the next call, or in a dictionary that is emptied before
import torch


class Runner:
    def __init__(self, model, static, rank):
        self.model = model
        self.static = static
        self.rank = rank
        self.graphs = {}
        self.modes = {}

    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = self.model(self.static)
        return graph, out

    def for_rank(self):
        if self.rank not in self.graphs:
            self.graphs[self.rank] = self.capture()
        return self.graphs[self.rank]

    def by_name(self, x):
        if "decode" not in self.graphs:
            self.graphs["decode"] = self.capture()
        self.static.copy_(x)
        self.graphs["decode"][0].replay()

    def for_mode(self, x):
        mode = torch.is_grad_enabled()
        if mode not in self.modes:
            self.modes[mode] = self.capture()
        self.static.copy_(x)
        self.modes[mode][0].replay()

    def latest(self, shape):
        if shape not in self.graphs:
            self.graphs.clear()
            self.graphs[shape] = self.capture()
        return self.graphs[shape]


# --- silent: two graphs, and a function that keeps the last one
import functools

import torch

static = torch.zeros(64, 8, device="cuda")


def capture(rows):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = static[:rows] * 2
    return graph, out


halves = [capture(rows) for rows in (32, 64)]


@functools.lru_cache(maxsize=1)
def last(rows):
    return capture(rows)


@functools.cache
def only():
    return capture(64)


print(last(3), only(), halves)
# --- silent: what is stored under a key is no graph, or one that was captured before
import torch


class Runner:
    def __init__(self, model, static):
        self.static = static
        self.outputs = {}
        self.users = {}
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = model(static)

    def run(self, request, x):
        self.static.copy_(x)
        self.graph.replay()
        self.outputs[request] = self.out.clone()
        self.users[request] = (self.graph, request)


# --- silent: the graph that is captured anew for each request takes the place of the one before
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.seen = {}
        self.graph = None

    def run(self, static):
        shape = tuple(static.shape)
        if self.graph is None or shape not in self.seen:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self.model(static)
            self.seen[shape] = True
        self.graph.replay()
        return self.out


# --- silent: threads replay what was captured when it was first asked for
import threading

import torch


class Server:
    def __init__(self, model, static):
        self.model = model
        self.static = static
        self.graphs = {}

    def start(self, sizes):
        for size in sizes:
            threading.Thread(target=self.serve, args=(size,)).start()

    def serve(self, size):
        if size not in self.graphs:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                out = self.model(self.static[:size])
            self.graphs[size] = (graph, out)
        self.graphs[size][0].replay()


# --- silent: in a loop that always asks for the same
import torch


class Cache:
    def __init__(self):
        self.graphs = {}

    def __call__(self, x):
        key = tuple(x.shape)
        if key not in self.graphs:
            graph, static = torch.cuda.CUDAGraph(), x.clone()
            with torch.cuda.graph(graph):
                out = static * 2
            self.graphs[key] = (graph, static, out)
        graph, static, out = self.graphs[key]
        static.copy_(x)
        graph.replay()
        return out.clone()


cache = Cache()
x = torch.ones(4, device="cuda")
for step in range(100):
    cache(x)
# --- in a loop over what is not known
import torch


class Cache:
    def __init__(self):
        self.graphs = {}

    def __call__(self, x):
        key = tuple(x.shape)
        if key not in self.graphs:
            graph = torch.cuda.CUDAGraph()
            static = torch.ones(len(x), 8, device="cuda")  # cgsan: CG302
            with torch.cuda.graph(graph):  # cgsan: CG303
                out = static * 2
            self.graphs[key] = (graph, static, out)
        graph, static, out = self.graphs[key]
        static.copy_(x)
        graph.replay()
        return out.clone()


def serve(requests):
    cache = Cache()
    for request in requests:
        cache(request)


# --- silent: graphs that run at the same time, each on a stream of its own
import torch


class Lane:
    def __init__(self, size):
        self.stream = torch.cuda.Stream()
        self.x = torch.zeros(size, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.y = (self.x * 2).cumsum(0)

    def launch(self):
        with torch.cuda.stream(self.stream):
            self.graph.replay()


lanes = [Lane(1 << 10) for _ in range(3)]
for lane in lanes:
    lane.launch()
# --- silent: a test's graphs last as long as the test
import torch

# file: test_graphs.py
import torch


def test_each_size():
    buffer = torch.zeros(8, 8, device="cuda")
    graphs = {}
    for size in (8, 4, 2, 1):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = buffer[:size] * 2
        graphs[size] = graph
    for graph in graphs.values():
        graph.replay()


# --- a program that is named as a test, and has none
import torch

# file: test_speed.py
import torch

buffer = torch.zeros(8, 1 << 20, device="cuda")
graphs = {}
for size in (8, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: CG303
        y = buffer[:size] * 2
    graphs[size] = graph
# --- silent: a kernel writes where it is told, and asks for no memory
import torch
from kernels import decode


class Decoder:
    def __init__(self):
        self.buffers = torch.zeros(8, 8, device="cuda")
        self.hidden = torch.zeros(8, device="cuda")
        self.graphs = {}

    def run(self, size):
        decode(self.buffers, size)
        self.hidden.copy_(self.buffers[0])

    def capture(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.run(size)
        self.graphs[size] = graph


decoder = Decoder()
for size in range(1, 9):
    decoder.capture(size)
# --- an unknown model returns something new, which is copied out
import torch
from models import Model


class Decoder:
    def __init__(self):
        self.model = Model()
        self.out = torch.zeros(8, 8, device="cuda")
        self.graphs = {}

    def run(self, size):
        self.out[:size].copy_(self.model(size))

    def capture(self, size):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: CG303
            self.run(size)
        self.graphs[size] = graph


decoder = Decoder()
for size in range(1, 9):
    decoder.capture(size)
# --- silent: one for as many layers as the object has
import torch


class Engine:
    def __init__(self, model, layers):
        self.model = model
        self.layers = layers
        self.graphs = {}

    def step(self):
        count = len(self.layers)
        entry = self.graphs.get(count)
        if entry is None:
            static = torch.zeros(count, 8, device="cuda")
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                out = self.model(static)
            entry = (graph, static, out)
            self.graphs[count] = entry
        entry[0].replay()
        return entry[2].clone()


# --- objects that capture, for as many sizes as an object has that is used elsewhere
import torch


class Runner:
    def __init__(self, model):
        self.model = model

    def capture(self, static):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):  # cgsan: CG303
            self.out = self.model(static)


class Engine:
    def __init__(self, model, sizes):
        self.model = model
        self.sizes = sizes
        self.runners = {}

    def capture(self, static):
        for size in self.sizes:
            runner = Runner(self.model)
            runner.capture(static[:size])
            self.runners[size] = runner


# --- silent: the same, under the name of what is captured last
import torch


class Runner:
    def __init__(self, model):
        self.model = model

    def capture(self, static):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.model(static)


class Engine:
    def __init__(self, model, sizes):
        self.model = model
        self.sizes = sizes
        self.runners = {}

    def capture(self, static):
        for size in self.sizes:
            runner = Runner(self.model)
            runner.capture(static[:size])
            self.runners["last"] = runner


# --- in a list that is made by the name of its type
import torch


class Engine:
    def __init__(self, model, sizes):
        self.model = model
        self.sizes = sizes

    def capture(self, static):
        graphs = list[tuple[torch.cuda.CUDAGraph, torch.Tensor]]()
        for size in self.sizes:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):  # cgsan: CG303
                out = self.model(static[:size])
            graphs.append((graph, out))
        self.graphs = graphs


# --- silent: tests that are defined only where there is a device
import torch

# file: test_sizes.py
import torch

if torch.cuda.is_available():

    class TestSizes:
        def test_each_size(self):
            buffer = torch.zeros(8, 8, device="cuda")
            graphs = {}
            for size in (8, 4, 2, 1):
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    y = buffer[:size] * 2
                graphs[size] = graph


# --- silent: small graphs, a buffer and weights of known sizes
import torch

linear = torch.nn.Linear(16, 16).cuda()
buffer = torch.zeros(8, 16, device="cuda")
linear(buffer)
graphs = {}
for size in (8, 6, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = linear(buffer[:size])
    graphs[size] = (graph, y)
# --- the same with large weights
import torch

linear = torch.nn.Linear(16, 1 << 20).cuda()
buffer = torch.zeros(8, 16, device="cuda")
linear(buffer)
graphs = {}
for size in (8, 6, 4, 2, 1):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
        y = linear(buffer[:size])
    graphs[size] = (graph, y)
# --- the same with a model that others made
import torch


def capture(model):
    buffer = torch.zeros(8, 16, device="cuda")
    graphs = {}
    for size in (8, 6, 4, 2, 1):
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
            y = model(buffer[:size])
        graphs[size] = (graph, y)
    return graphs


# --- silent: lengths that grow, of a few tokens, with an optimizer
import torch

embedding = torch.nn.Embedding(50, 16).cuda()
optimizer = torch.optim.Adam(embedding.parameters(), capturable=True)
for parameter in embedding.parameters():
    parameter.grad = torch.zeros_like(parameter)
graphs = {}


def get(length):
    if length not in graphs:
        tokens = torch.zeros(2, length, dtype=torch.long, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for parameter in embedding.parameters():
                parameter.grad.zero_()
            loss = embedding(tokens).sum()
            loss.backward()
            optimizer.step()
        graphs[length] = (graph, tokens, loss)
    return graphs[length]


for step in range(9):
    graph, tokens, loss = get(4 + 2 * (step // 3))
    tokens.copy_(torch.randint(0, 50, tuple(tokens.shape)))
    graph.replay()
# --- silent: a graph for each entry of a dictionary, of an enumeration, of what is counted, of a range: two or three
import enum

import torch
from models import build


class Phase(enum.Enum):
    HEAD = 1
    FULL = 2

    def describe(self):
        return self.name


model = build().cuda()
x = torch.zeros(4096, 4096, device="cuda")
graphs = {}
for name, scale in {"low": 0.5, "high": 2.0}.items():
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = model(x, scale)
    graphs[name] = (graph, y)
for phase in Phase:
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = model(x, phase)
    graphs[phase] = (graph, y)
for number, name in enumerate(["one", "two"]):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = model(x, number)
    graphs[name] = (graph, y)
for number in range(3):
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = model(x, number)
    graphs[number] = (graph, y)
# --- a dictionary of more, and an enumeration
import enum

import torch
from models import build


class Phase(enum.Enum):
    HEAD = 1
    NECK = 2
    BODY = 3
    FULL = 4


model = build().cuda()
x = torch.zeros(4096, 4096, device="cuda")
graphs = {}
for name, scale in {"low": 0.5, "middle": 1.0, "high": 2.0, "highest": 4.0}.items():
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
        y = model(x, scale)
    graphs[name] = (graph, y)
for phase in Phase:
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG303
        y = model(x, phase)
    graphs[phase] = (graph, y)
