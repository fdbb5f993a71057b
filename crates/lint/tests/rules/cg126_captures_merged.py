# --- fails
import torch

prefill_stream, decode_stream = torch.cuda.Stream(), torch.cuda.Stream()
prefill, decode = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
cache = torch.zeros(16, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(prefill_stream):
    prefill.capture_begin(capture_error_mode="relaxed")
    cache.add_(1)
with torch.cuda.stream(decode_stream):
    decode.capture_begin(capture_error_mode="relaxed")
    decode_stream.wait_stream(prefill_stream)  # cgsan: CG126
    out = cache * 2
    decode.capture_end()
with torch.cuda.stream(prefill_stream):
    prefill.capture_end()
# --- fixed
import torch

prefill_stream, decode_stream = torch.cuda.Stream(), torch.cuda.Stream()
prefill, decode = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
cache = torch.zeros(16, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(prefill_stream):
    prefill.capture_begin(capture_error_mode="relaxed")
    cache.add_(1)
    prefill.capture_end()
with torch.cuda.stream(decode_stream):
    decode.capture_begin(capture_error_mode="relaxed")
    out = cache * 2
    decode.capture_end()
# --- lookalike
import torch

prefill_stream, decode_stream = torch.cuda.Stream(), torch.cuda.Stream()
prefill, decode = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
cache = torch.zeros(16, device="cuda")
with torch.cuda.graph(prefill, stream=prefill_stream):
    cache.add_(1)
with torch.cuda.graph(decode, stream=decode_stream):
    out = cache * 2
for _ in range(3):
    with torch.cuda.stream(prefill_stream):
        prefill.replay()
    decode_stream.wait_stream(prefill_stream)
    with torch.cuda.stream(decode_stream):
        decode.replay()
