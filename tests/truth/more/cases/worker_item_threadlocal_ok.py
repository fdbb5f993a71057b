import threading, torch
x = torch.ones(8, device="cuda"); w = torch.ones(1, device="cuda")
go = threading.Event(); s = torch.cuda.Stream()
def reader():
    go.wait()
    with torch.cuda.stream(s):
        print("read", w.sum().numel())
        (w + 1).cpu()
t = threading.Thread(target=reader, name="reader"); t.start()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, capture_error_mode="thread_local"):
    y = x + 1
    go.set(); t.join()
    z = y + 1
print("OK")
