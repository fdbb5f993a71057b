"""A product of matrices is captured, for which CuPy would call cuBLAS."""

import cupy


def main():
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ones((64, 64), dtype=cupy.float32)
        out = x @ x
        stream.begin_capture()
        cupy.matmul(x, x, out=out)  # cgsan: CG190
        stream.end_capture()


if __name__ == "__main__":
    main()
