import threading, torch
x = torch.ones(8, device="cuda"); w = torch.ones(1, device="cuda")
go = threading.Event()
def other():
    go.wait()
    w.add_(1)
t = threading.Thread(target=other, name="other"); t.start()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    go.set(); t.join()
    z = y + 1
print("OK")
