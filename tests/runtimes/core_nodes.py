"""Nodes that `cuda.core` adds by hand are read, changed, turned off, and changed in executable graphs."""

import ctypes

from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions
from cuda.core.graph import GraphDefinition

CODE = 'extern "C" __global__ void first() {} extern "C" __global__ void second() {}'
ONE = LaunchConfig(grid=1, block=1)


def content(buffer):
    return (ctypes.c_uint8 * 4).from_address(int(buffer.handle))


def run(device, graph):
    stream = device.create_stream()
    graph.launch(stream)
    stream.sync()


def kernels(device):
    program = Program(CODE, "c++", ProgramOptions(arch=f"sm_{device.arch}"))
    compiled = program.compile("cubin", name_expressions=("first", "second"))
    return compiled.get_kernel("first"), compiled.get_kernel("second")


def fills(device, memory):
    one, other = memory.allocate(4), memory.allocate(4)
    graph = GraphDefinition()
    node = graph.memset(one, 1, 4)
    assert (node.dptr, node.value, node.width, node.height) == (int(one.handle), 1, 4, 1)
    executable = graph.instantiate()
    node.update(dst=other, value=2)
    run(device, executable)
    assert set(content(one)) == {1}
    executable[node].update(dst=one, value=3, width=4)
    run(device, executable)
    assert set(content(one)) == {3}
    run(device, graph.instantiate())
    assert set(content(other)) == {2}

    driver.cuGraphNodeSetEnabled(executable.handle, node.handle, 0)
    content(one)[:] = [0] * 4
    run(device, executable)
    assert set(content(one)) == {0}
    assert driver.cuGraphNodeGetEnabled(executable.handle, node.handle)[1] == 0


def copies(device, memory):
    source, other, target = (memory.allocate(4) for _ in range(3))
    content(source)[:] = [1] * 4
    content(other)[:] = [2] * 4
    graph = GraphDefinition()
    node = graph.memcpy(target, source, 4)
    assert (node.dst, node.src, node.size) == (int(target.handle), int(source.handle), 4)
    executable = graph.instantiate()
    executable[node].update(dst=target, src=other, size=4)
    run(device, executable)
    assert set(content(target)) == {2}


def functions_and_events(device):
    called = []
    graph = GraphDefinition()
    first, second = device.create_event(), device.create_event()
    recorded = graph.record(first)
    node = recorded.callback(lambda: called.append(1))
    executable = graph.instantiate()
    recorded.update(second)
    assert recorded.event == second
    node.update(lambda: called.append(2))
    executable[recorded].update(second)
    run(device, executable)
    run(device, graph.instantiate())
    assert called == [1, 2]


def children(device, kernel):
    child = GraphDefinition()
    child.launch(ONE, kernel)
    graph = GraphDefinition()
    node = graph.embed(child)
    assert len(node.child_graph.nodes()) == 1
    executable = graph.instantiate()
    executable[node].update(child)
    run(device, executable)


def main():
    device = Device()
    device.set_current()
    memory = LegacyPinnedMemoryResource()
    first, second = kernels(device)
    graph = GraphDefinition()
    node = graph.launch(ONE, first)
    executable = graph.instantiate()
    executable[node].update(kernel=second, config=ONE, args=())
    run(device, executable)
    fills(device, memory)
    copies(device, memory)
    functions_and_events(device)
    children(device, second)


if __name__ == "__main__":
    main()
