import ctypes
import torch

torch.zeros(1, device="cuda")
rt = ctypes.CDLL("libcudart.so.13")
P, R = ctypes.c_void_p, ctypes.byref
a, b, c, e1, e2, s2, host = P(), P(), P(), P(), P(), P(), P()
size = ctypes.c_size_t(8 << 20)
for p in (a, b, c):
    rt.cudaMalloc(R(p), size)
rt.cudaHostAlloc(R(host), size, 0)
rt.cudaEventCreate(R(e1))
rt.cudaEventCreate(R(e2))
rt.cudaStreamCreate(R(s2))
stream = P(torch.cuda.Stream().cuda_stream)
graph, executable, g2 = P(), P(), P()
rt.cudaStreamBeginCapture(stream, 2)
rt.cudaMemcpyAsync(a, b, size, 3, stream)
rt.cudaStreamEndCapture(stream, R(graph))
rt.cudaGraphInstantiate(R(executable), graph, ctypes.c_ulonglong(0))
rt.cudaFree(b)
rt.cudaEventRecord(e1, stream)
print("launch", rt.cudaGraphLaunch(executable, stream))
rt.cudaStreamSynchronize(stream)
n, f, m = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_float()
for name, call in {
    "peek": lambda: rt.cudaPeekAtLastError(),
    "get": lambda: rt.cudaGetLastError(),
    "event query": lambda: rt.cudaEventQuery(e1),
    "event record": lambda: rt.cudaEventRecord(e2, s2),
    "event elapsed": lambda: rt.cudaEventElapsedTime(R(m), e1, e2),
    "stream query": lambda: rt.cudaStreamQuery(s2),
    "wait": lambda: rt.cudaStreamWaitEvent(s2, e1, 0),
    "capturing": lambda: rt.cudaStreamIsCapturing(s2, R(n)),
    "begin": lambda: rt.cudaStreamBeginCapture(s2, 2),
    "memset": lambda: rt.cudaMemsetAsync(a, 0, size, s2),
    "copy": lambda: rt.cudaMemcpy(a, c, size, 3),
    "copy host": lambda: rt.cudaMemcpy(host, host, size, 0),
    "info": lambda: rt.cudaMemGetInfo(R(f), R(f)),
    "count": lambda: rt.cudaGetDeviceCount(R(n)),
    "get device": lambda: rt.cudaGetDevice(R(n)),
    "set device": lambda: rt.cudaSetDevice(0),
    "attribute": lambda: rt.cudaDeviceGetAttribute(R(n), 1, 0),
    "host alloc": lambda: rt.cudaHostAlloc(R(P()), size, 0),
    "free": lambda: rt.cudaFree(a),
    "free host": lambda: rt.cudaFreeHost(host),
    "event create": lambda: rt.cudaEventCreateWithFlags(R(P()), 2),
    "event destroy": lambda: rt.cudaEventDestroy(e2),
    "stream destroy": lambda: rt.cudaStreamDestroy(s2),
    "graph create": lambda: rt.cudaGraphCreate(R(g2), 0),
    "instantiate": lambda: rt.cudaGraphInstantiate(R(P()), graph, ctypes.c_ulonglong(0)),
    "exchange": lambda: rt.cudaThreadExchangeStreamCaptureMode(R(ctypes.c_int(2))),
    "exec destroy": lambda: rt.cudaGraphExecDestroy(executable),
    "graph destroy": lambda: rt.cudaGraphDestroy(graph),
    "driver version": lambda: rt.cudaDriverGetVersion(R(n)),
    "get again": lambda: rt.cudaGetLastError(),
}.items():
    print(name, call(), flush=True)
