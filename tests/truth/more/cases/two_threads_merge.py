import threading
import torch

x = torch.ones(4, device="cuda")
event = torch.cuda.Event()
recorded = threading.Event()
finished = threading.Event()


def producer():
    g = torch.cuda.CUDAGraph()
    s = torch.cuda.Stream()
    with torch.cuda.stream(s):
        g.capture_begin(capture_error_mode="relaxed")
        y = x + 1
        event.record()
        recorded.set()
        finished.wait(10)
        try:
            g.capture_end()
        except RuntimeError as error:
            print("producer", str(error).splitlines()[0])


t = threading.Thread(target=producer, name="producer")
t.start()
recorded.wait(10)
g = torch.cuda.CUDAGraph()
s = torch.cuda.Stream()
try:
    with torch.cuda.stream(s):
        g.capture_begin(capture_error_mode="relaxed")
        z = x + 2
        torch.cuda.current_stream().wait_event(event)
finally:
    finished.set()
    t.join()
