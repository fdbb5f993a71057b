"""A graph that `cuda.core` builds: its kernels fork, and join."""

from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from cuda.core.graph import GraphBuilder

CODE = 'extern "C" __global__ void count(int* x) { atomicAdd(x, 1); }'


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile("cubin").get_kernel("count")
    memory = device.allocate(4, stream=stream)

    builder = stream.create_graph_builder().begin_building()
    launch(builder, LaunchConfig(grid=1, block=1), kernel, memory)
    left, right = builder.split(2)
    launch(left, LaunchConfig(grid=1, block=1), kernel, memory)
    launch(right, LaunchConfig(grid=1, block=1), kernel, memory)
    graph = GraphBuilder.join(left, right).end_building().complete()
    for _ in range(3):
        graph.launch(stream)
    stream.sync()


if __name__ == "__main__":
    main()
