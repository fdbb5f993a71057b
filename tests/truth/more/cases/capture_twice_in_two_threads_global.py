import threading
import torch

x = torch.ones(64, device="cuda")
inside, leave = threading.Event(), threading.Event()


def first():
    g = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(g, stream=torch.cuda.Stream()):
            y = x + 1
            inside.set()
            leave.wait(10)
    except RuntimeError as error:
        print("first:", str(error).splitlines()[0])


t = threading.Thread(target=first, name="first")
t.start()
inside.wait(10)
g = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(g, stream=torch.cuda.Stream()):
        z = x * 2
except RuntimeError as error:
    print("second:", str(error).splitlines()[0])
leave.set()
t.join()
