"""The capturing stream is waited for, which CUDA refuses."""

import cupy


def main():
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.ones(64, dtype=cupy.float32)
        cupy.multiply(x, 2, out=x)
        stream.begin_capture()
        cupy.multiply(x, 2, out=x)
        stream.synchronize()  # cgsan: CG101
        stream.end_capture()


if __name__ == "__main__":
    main()
