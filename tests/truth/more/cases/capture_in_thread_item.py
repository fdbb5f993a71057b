import threading, torch
x = torch.ones(8, device="cuda")
def work():
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = x + 1
        y.sum().item()
t = threading.Thread(target=work, name="builder"); t.start(); t.join()
