import concurrent.futures
import threading
import torch

ready = threading.Event()
go = threading.Event()
buffer = torch.zeros(1024, device="cuda")


def flush():
    go.wait(5)
    try:
        torch.cuda.current_stream().synchronize()
        torch.cuda.synchronize()
    except RuntimeError as error:
        return str(error).splitlines()[0]
    finally:
        ready.set()


pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="flush")
future = pool.submit(flush)
g = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(g):
        y = buffer + 1
        go.set()
        ready.wait(5)
        z = y + 1
except RuntimeError as error:
    print("main:", str(error).splitlines()[0])
print("worker:", future.result())
pool.shutdown()
