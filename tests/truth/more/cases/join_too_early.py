import torch

x = torch.ones(64, device="cuda")
s = torch.cuda.Stream()
done = torch.cuda.Event()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    main = torch.cuda.current_stream()
    s.wait_stream(main)
    with torch.cuda.stream(s):
        a = x + 1
        done.record()
        b = a + 1
    main.wait_event(done)
    c = x * 2
