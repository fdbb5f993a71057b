"""Kernels of CuPy, compiled when the program runs and from CuPy's own library, are captured and replayed."""

import cupy

double = cupy.ElementwiseKernel("float32 x", "float32 y", "y = 2 * x", "double")
add = cupy.RawKernel(
    'extern "C" __global__ void add(const float* x, float* y) { y[threadIdx.x] += x[threadIdx.x]; }',
    "add",
)


def main():
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ones((64, 64), dtype=cupy.float32)
        y = cupy.empty_like(x)
        double(x, y)
        add((1,), (64,), (x, y))
        largest = y.max(axis=0)
        y.sort(axis=0)
        stream.synchronize()
        stream.begin_capture()
        double(x, y)
        add((1,), (64,), (x, y))
        y.max(axis=0, out=largest)
        y.sort(axis=0)
        graph = stream.end_capture()
        for _ in range(3):
            graph.launch()
        stream.synchronize()
        (x @ y).get()
    assert cupy.cuda.runtime.getDeviceCount() == 1


if __name__ == "__main__":
    main()
