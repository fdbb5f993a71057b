# --- batches of a loader take the place of an input
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(40, 6)), batch_size=8)
batch = torch.zeros(8, 6, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    doubled = batch * 2
for (features,) in loader:
    batch = features.cuda(non_blocking=True).float()  # cgsan: CG203
    graph.replay()
# --- the loop itself rebinds the inputs
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(40, 6), torch.rand(40, 6)), batch_size=8)
x = torch.zeros(8, 6, device="cuda")
y = torch.zeros(8, 6, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = (x - y).square().mean()
for step, (x, y) in enumerate(loader):  # cgsan: CG203
    graph.replay()
# --- a request's tensors are moved, two in one statement
import torch


class Server:
    def __init__(self, device):
        self.tokens = torch.zeros(8, dtype=torch.long, device="cuda")
        self.mask = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.pooled = self.tokens * self.mask  # cgsan: CG209

    def handle(self, request):
        self.tokens, self.mask = request.tokens.to("cuda"), request.mask.to("cuda")
        self.graph.replay()
        return self.pooled.tolist()


# --- a batch is moved element by element
import torch

x = torch.zeros(8, 6, device="cuda")
y = torch.zeros(8, 6, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = (x - y).square().mean()  # cgsan: CG209


def train(batches):
    global x, y
    for batch in batches:
        x, y = [it.to("cuda") for it in batch]
        graph.replay()


# --- the dictionary of buffers is made anew
import torch


class Runner:
    def __init__(self):
        self.static = {"x": torch.zeros(8, device="cuda")}
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.static["x"] * 2

    def run(self, batch):
        self.static = {name: value.cuda() for name, value in batch.items()}  # cgsan: CG203
        self.graph.replay()
        return self.y.clone()


runner = Runner()
for _ in range(3):
    runner.run({"x": torch.rand(8)})
# --- parameters get the memory of others
import torch

model = torch.nn.LayerNorm(8).cuda()
average = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
for mine, other in zip(model.parameters(), average.parameters()):
    mine.data = other.data  # cgsan: CG203
graph.replay()
# --- a state is assigned, not copied
import torch

model = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.GELU()).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
model.load_state_dict(torch.load("weights.pt"), assign=True)  # cgsan: CG203
graph.replay()
# --- a module gets another weight
import torch

layer = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = layer(x)
layer.weight = torch.nn.Parameter(torch.full((8,), 2.0, device="cuda"))  # cgsan: CG203
graph.replay()
# --- a module goes to the host between replays
import torch


class Policy:
    def __init__(self):
        self.model = torch.nn.LayerNorm(8).cuda()
        self.x = torch.ones(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.y = self.model(self.x)

    def save(self, path):
        self.model.cpu()  # cgsan: CG203
        torch.save(self.model.state_dict(), path)
        self.model.cuda()

    def act(self, x):
        self.x.copy_(x)
        self.graph.replay()
        return self.y.clone()


policy = Policy()
for step in range(3):
    policy.act(torch.rand(4, 8, device="cuda"))
    policy.save("policy.pt")
# --- parameters become parts of one vector
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

model = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
flat = parameters_to_vector(model.parameters())
vector_to_parameters(flat * 0.5, model.parameters())  # cgsan: CG203
graph.replay()
# --- silent: batches are copied, and the loop has names of its own
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.rand(40, 6)), batch_size=8)
static = torch.zeros(8, 6, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    doubled = static * 2
for (batch,) in loader:
    batch = batch.cuda(non_blocking=True)
    static.copy_(batch)
    graph.replay()
# --- silent: the first batch is captured, and the graph's input has a name of its own
import torch


def train(model, loader, device):
    graph, static = None, None
    for batch in loader:
        batch = batch.to(device)
        if graph is None:
            static = batch.clone()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                loss = model(static)
        static.copy_(batch)
        graph.replay()


# --- silent: the same tensor, moved to where it is, cast to what it is, or seen otherwise
import torch


def run(device, order):
    static = torch.zeros(24, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        total = static.view(4, 6).sum(1)
    for batch in order:
        static = static.to(device)
        static = static.float().to(torch.float32)
        static = static.view(4, 6).contiguous().ravel()
        static = static[order]
        static.copy_(batch)
        graph.replay()
    return total


# --- silent: another batch is captured anew each time
import torch


class Runner:
    def __call__(self, batch):
        self.x = batch.to("cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2
        self.graph.replay()
        return self.y


runner = Runner()
for batch in (torch.ones(8), torch.ones(4)):
    runner(batch)
# --- silent: the name is used for something else after the last replay
import torch


def benchmark(model, batches):
    x = torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    for _ in range(10):
        graph.replay()
    for batch in batches:
        x = batch.cuda()
        model(x)
    return y


# --- silent: a list keeps what the name referred to
import torch


class Runner:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.inputs = [self.x]
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, batch):
        self.x = batch.cuda()
        for static, new in zip(self.inputs, [self.x]):
            static.copy_(new)
        self.graph.replay()
        return self.y.clone()


# --- silent: a property copies
import torch


class Runner:
    def __init__(self):
        self._x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self._x * 2

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        self._x.copy_(value)

    def run(self, batch):
        self.x = batch.cuda()
        self.graph.replay()
        return self.y.clone()


# --- silent: the state is copied, and so is the data of each parameter
import torch

model = torch.nn.LayerNorm(8).cuda()
average = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
model.load_state_dict(average.state_dict())
model.load_state_dict(average.state_dict(), assign=False)
for mine, other in zip(model.parameters(), average.parameters()):
    mine.data.copy_(other.data)
    mine.data += 1
graph.replay()
# --- silent: the memory of the capture is put back before the replay
import torch

model = torch.nn.LayerNorm(8).cuda()
average = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
for step in range(3):
    backup = [parameter.data for parameter in model.parameters()]
    for mine, other in zip(model.parameters(), average.parameters()):
        mine.data = other.data
    print(model(x).sum().item())
    for mine, kept in zip(model.parameters(), backup):
        mine.data = kept
    graph.replay()
# --- silent: moved and cast before the capture, or moved to where it is
import torch

model = torch.nn.LayerNorm(8)
model.half()
model.cpu()
model = model.cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
model.cuda()
model.to("cuda:0").eval()
graph.replay()
# --- silent: the model leaves the device after the last replay
import torch


def export(model, x):
    layer = torch.nn.LayerNorm(8).cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        y = layer(x)
    graph.replay()
    layer.cpu()
    torch.save(layer.state_dict(), "layer.pt")
    return y.clone()


# --- silent: only some parameters, nobody knows which
import torch

model = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.LayerNorm(8)).cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model[0](x)
for name, parameter in model.named_parameters():
    if name.startswith("1."):
        parameter.data = torch.zeros(8, device="cuda")
graph.replay()
# --- batches come through a progress bar
import torch
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

loader = DataLoader(TensorDataset(torch.rand(40, 6)), batch_size=8)
x = torch.zeros(8, 6, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for (batch,) in tqdm(loader):
    x = batch.to("cuda", non_blocking=True)  # cgsan: CG203
    graph.replay()
