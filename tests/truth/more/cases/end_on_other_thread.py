import threading, torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    g.capture_begin(capture_error_mode="thread_local")
    b = a + 1
def end():
    try:
        with torch.cuda.stream(s):
            g.capture_end()
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])
t = threading.Thread(target=end, name="closer"); t.start(); t.join()
