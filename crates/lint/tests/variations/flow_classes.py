# --- a class made from the capture context
import torch


class timed_graph(torch.cuda.graph):
    def __init__(self, graph, name):
        super().__init__(graph, capture_error_mode="thread_local")
        self.name = name

    def __enter__(self):
        print("begin", self.name)
        return super().__enter__()

    def __exit__(self, *exc):
        super().__exit__(*exc)
        torch.cuda.synchronize()


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with timed_graph(graph, "step"):
    y = x.sum().item()  # cgsan: CG101
print(x.sum().item())
# --- a class made from the capture context, with nothing of its own
import torch


class Capture(torch.cuda.graph):
    pass


x = torch.ones(4, device="cuda")
with Capture(torch.cuda.CUDAGraph()):
    y = x.cpu()  # cgsan: CG102
# --- what such a class does before the capture has ended
import torch


class Capture(torch.cuda.graph):
    def __exit__(self, *exc):
        torch.cuda.synchronize()  # cgsan: CG101
        super().__exit__(*exc)


x = torch.ones(4, device="cuda")
with Capture(torch.cuda.CUDAGraph()):
    y = x * 2
# --- a class made from a stream, which is not joined
import torch


class Side(torch.cuda.Stream):
    pass


x = torch.ones(4, device="cuda")
side = Side()
with torch.cuda.graph(torch.cuda.CUDAGraph()):  # cgsan: CG106
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2
# --- silent: a class made from a stream, which is joined
import torch


class Side(torch.cuda.Stream):
    def join(self):
        torch.cuda.current_stream().wait_stream(self)


x = torch.ones(4, device="cuda")
side = Side()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2
    side.join()
# --- a class made from an optimizer
import torch


class Clipped(torch.optim.AdamW):
    def __init__(self, params, lr=1e-3, most=1.0):
        super().__init__(params, lr=lr)
        self.most = most

    def step(self, closure=None):
        for group in self.param_groups:
            torch.nn.utils.clip_grad_norm_(group["params"], self.most)
        return super().step(closure)  # cgsan: CG129


net = torch.nn.Linear(4, 4).cuda()
optimizer = Clipped(net.parameters())
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()
# --- silent: a class made from an optimizer, told to be capturable
import torch


class Clipped(torch.optim.AdamW):
    def __init__(self, params, most=1.0, **options):
        super().__init__(params, **options)
        self.most = most


net = torch.nn.Linear(4, 4).cuda()
optimizer = Clipped(net.parameters(), capturable=True)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()
# --- silent: a class made from PyTorch's base class of optimizers
import torch


class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.sub_(parameter.grad, alpha=group["lr"])


net = torch.nn.Linear(4, 4).cuda()
optimizer = Plain(net.parameters())
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()
# --- a mixin that passes a call on to the next class of the object's own
import torch


class Model:
    def step(self, x):
        return x.cpu()  # cgsan: CG102


class Timed:
    def step(self, x):
        return super().step(x)


class TimedModel(Timed, Model):
    pass


x = torch.ones(4, device="cuda")
model = TimedModel()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model.step(x)
# --- silent: of a base that two bases share, the method comes last
import torch


class Base:
    def step(self, x):
        return x.cpu()


class Left(Base):
    pass


class Right(Base):
    def step(self, x):
        return x * 2


class Both(Left, Right):
    pass


x = torch.ones(4, device="cuda")
model = Both()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model.step(x)
# --- super in a class method, and with arguments
import torch


class Base:
    @classmethod
    def make(cls, x):
        return x.cpu()  # cgsan: CG102

    def step(self, x):
        return float(x.max())  # cgsan: CG101


class Derived(Base):
    @classmethod
    def make(cls, x):
        return super().make(x)

    def step(this, x):
        return super(Derived, this).step(x)  # noqa: UP008


x = torch.ones(4, device="cuda")
model = Derived()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = Derived.make(x)
    z = model.step(x)
# --- functions that a class takes over, and a property made by a call
import torch


def to_host(x):
    return x.cpu()  # cgsan: CG102


class Model:
    convert = staticmethod(to_host)

    def __init__(self, x):
        self.x = x

    def _largest(self):
        return float(self.x.max())  # cgsan: CG101

    largest = property(_largest)


model = Model(torch.ones(4, device="cuda"))
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model.convert(model.x) * model.largest
# --- silent: a descriptor that keeps its value in a buffer of its own
import torch


class Buffer:
    def __init__(self, size):
        self.tensor = torch.zeros(size, device="cuda")

    def __get__(self, instance, owner=None):
        return self.tensor

    def __set__(self, instance, value):
        self.tensor.copy_(value)


class Runner:
    x = Buffer(4)

    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, x):
        self.x = x.cuda()
        self.graph.replay()
        return self.y.clone()


runner = Runner()
for i in range(3):
    print(runner.run(torch.ones(4)))
# --- silent: a ladder of classes with two bases each
import torch


class Base:
    def step(self, x):
        return x * 2


class A1(Base): ...


class B1(Base): ...


class A2(A1, B1): ...


class B2(A1, B1): ...


class A3(A2, B2): ...


class B3(A2, B2): ...


class A4(A3, B3): ...


class B4(A3, B3): ...


class A5(A4, B4): ...


class B5(A4, B4): ...


class A6(A5, B5): ...


class B6(A5, B5): ...


class A7(A6, B6): ...


class B7(A6, B6): ...


class Top(A7, B7):
    def step(self, x):
        return super().step(x)


x = torch.ones(4, device="cuda")
model = Top()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model.step(x)
