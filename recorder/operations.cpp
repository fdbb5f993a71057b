// The operations that random programs are made of, and how often each kind of program draws them.
#include "programs.h"

#include <algorithm>

cudaError_t nothing(Line &line) {
  line.name = "nop";
  return cudaSuccess;
}

// Whether an answer came too early depends on the time alone.
static cudaError_t timeless(cudaError_t code) { return code == cudaErrorNotReady ? cudaSuccess : code; }

static cudaError_t in_runtime_terms(CUresult code) { return static_cast<cudaError_t>(code); }

static std::string address_of(const void *address) { return std::to_string(reinterpret_cast<uintptr_t>(address)); }

static cudaStream_t stream(Objects &objects, const Draw &draw) { return objects.streams[draw.stream]; }

static void *device_memory(const Draw &draw, int slot) { return memory().device[device_of(draw.stream)][slot]; }

static cudaError_t began(Objects &objects, const Draw &draw, cudaError_t code) {
  if (code == cudaSuccess) {
    objects.begun[draw.stream] = draw.thread;
  }
  return code;
}

static cudaError_t begin(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.mode;
  return began(objects, draw, cudaStreamBeginCapture(stream(objects, draw), static_cast<cudaStreamCaptureMode>(draw.mode)));
}

static cudaError_t begin_by_driver(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.mode;
  CUresult code = cuStreamBeginCapture(stream(objects, draw), static_cast<CUstreamCaptureMode>(draw.mode));
  return began(objects, draw, in_runtime_terms(code));
}

// a1 = graph + 4 × what to depend on (0 nothing, 1 the last node, 2 all nodes) + 16 × mode.
static cudaError_t begin_to_graph(Objects &objects, const Draw &draw, Line &line) {
  int choice = draw.variant % 3;
  line.a1 = draw.graph + 4 * choice + 16 * draw.mode;
  cudaGraph_t graph = objects.graphs[draw.graph];
  // A second capture into the same graph crashes the driver (580.159.04).
  if (!graph || objects.is_captured_into(graph)) {
    return nothing(line);
  }
  std::vector<cudaGraphNode_t> after;
  if (choice > 0) {
    after = nodes_of(graph);
  }
  if (choice == 1 && after.size() > 1) {
    after.erase(after.begin(), after.end() - 1);
  }
  cudaError_t code = cudaStreamBeginCaptureToGraph(stream(objects, draw), graph, after.data(), nullptr, after.size(),
                                                   static_cast<cudaStreamCaptureMode>(draw.mode));
  if (code == cudaSuccess) {
    objects.capture_into(draw, graph);
  }
  return began(objects, draw, code);
}

static cudaError_t ended(Objects &objects, const Draw &draw, Line &line, cudaError_t code, cudaGraph_t graph) {
  line.a1 = draw.graph;
  bool is_over = code == cudaSuccess || code == cudaErrorStreamCaptureInvalidated || code == cudaErrorStreamCaptureUnjoined ||
                 code == cudaErrorStreamCaptureWrongThread;
  if (is_over) {
    objects.begun[draw.stream] = -1;
  }
  if (code == cudaSuccess) {
    objects.keep_captured(draw);
  } else if (is_over) {
    objects.lose_captured(draw);
  }
  if (!graph) {
    line.extra = "\"nograph\"";
  } else {
    objects.keep(draw.graph, graph);
    line.extra = describe(graph);
  }
  return code;
}

static cudaError_t end(Objects &objects, const Draw &draw, Line &line) {
  cudaGraph_t graph = nullptr;
  cudaError_t code = cudaStreamEndCapture(stream(objects, draw), &graph);
  return ended(objects, draw, line, code, graph);
}

static cudaError_t end_by_driver(Objects &objects, const Draw &draw, Line &line) {
  CUgraph graph = nullptr;
  CUresult code = cuStreamEndCapture(stream(objects, draw), &graph);
  return ended(objects, draw, line, in_runtime_terms(code), graph);
}

// a1 = 0 set nothing, 1 add nothing, 2 set the first node, 3 add the first node, 4 set the last, 5 add the last,
// 6 set all, 7 a flag that does not exist.
static cudaError_t update_capture(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.variant;
  cudaStream_t on = stream(objects, draw);
  CaptureInfo info = capture_info(on);
  std::vector<cudaGraphNode_t> nodes;
  if (info.graph && draw.variant >= 2 && draw.variant <= 6) {
    nodes = nodes_of(info.graph);
    if (draw.variant <= 3 && nodes.size() > 1) {
      nodes.resize(1);
    } else if (draw.variant <= 5 && nodes.size() > 1) {
      nodes.erase(nodes.begin(), nodes.end() - 1);
    }
  }
  bool adds = draw.variant == 1 || draw.variant == 3 || draw.variant == 5;
  unsigned flags = draw.variant == 7 ? 7 : adds ? cudaStreamAddCaptureDependencies : cudaStreamSetCaptureDependencies;
  return update_dependencies(on, nodes, flags);
}

// Adds a node by hand to the graph that the stream captures into, behind the stream's work, and has the stream go on
// behind it. a1 = kind (0 empty, 1 child graph, 2 conditional) + 4 × the child's graph.
static cudaError_t insert(Objects &objects, const Draw &draw, Line &line) {
  int kind = draw.variant % 3;
  line.a1 = kind + 4 * draw.graph;
  CaptureInfo info = capture_info(stream(objects, draw));
  cudaGraph_t child = objects.graphs[draw.graph];
  if (!info.graph || (kind == 1 && (!child || objects.is_captured_into(child)))) {
    return nothing(line);
  }
  cudaGraphNode_t node = nullptr;
  cudaError_t code = cudaSuccess;
  switch (kind) {
  case 0:
    code = cudaGraphAddEmptyNode(&node, info.graph, info.dependencies.data(), info.dependencies.size());
    break;
  case 1:
    code = cudaGraphAddChildGraphNode(&node, info.graph, info.dependencies.data(), info.dependencies.size(), child);
    break;
  default:
    code = add_conditional(info.graph, info.dependencies, &node);
  }
  if (code != cudaSuccess) {
    return code;
  }
  return update_dependencies(stream(objects, draw), {node}, cudaStreamSetCaptureDependencies);
}

static cudaError_t create_graph(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  cudaGraph_t graph = nullptr;
  cudaError_t code = cudaGraphCreate(&graph, 0);
  if (code == cudaSuccess) {
    objects.keep(draw.graph, graph);
  }
  return code;
}

static cudaError_t look_at_graph(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  if (!objects.graphs[draw.graph]) {
    return nothing(line);
  }
  line.extra = describe(objects.graphs[draw.graph]);
  return cudaSuccess;
}

static cudaError_t destroy_graph(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  cudaGraph_t graph = objects.graphs[draw.graph];
  if (!graph) {
    return nothing(line);
  }
  cudaError_t code = cudaGraphDestroy(graph);
  if (code == cudaSuccess) {
    objects.forget(graph);
  }
  return code;
}

// a1 = 1 with cudaGraphInstantiateFlagAutoFreeOnLaunch.
static cudaError_t instantiate(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = draw.variant == 0;
  if (!objects.graphs[draw.graph]) {
    return nothing(line);
  }
  cudaGraphExec_t exec = nullptr;
  unsigned flags = line.a1 ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0;
  cudaError_t code = cudaGraphInstantiate(&exec, objects.graphs[draw.graph], flags);
  if (code == cudaSuccess) {
    objects.execs[draw.graph] = exec;
    objects.all_execs.push_back(exec);
  }
  return code;
}

static cudaError_t launch(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.graph;
  if (!objects.execs[draw.graph]) {
    return nothing(line);
  }
  return cudaGraphLaunch(objects.execs[draw.graph], stream(objects, draw));
}

static cudaError_t upload(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.graph;
  if (!objects.execs[draw.graph]) {
    return nothing(line);
  }
  return cudaGraphUpload(objects.execs[draw.graph], stream(objects, draw));
}

static cudaError_t update_exec(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = (draw.graph + draw.variant) % GRAPHS;
  cudaGraph_t graph = objects.graphs[line.a1];
  if (!objects.execs[draw.graph] || !graph || objects.is_captured_into(graph)) {
    return nothing(line);
  }
  cudaGraphExecUpdateResultInfo info = {};
  cudaError_t code = cudaGraphExecUpdate(objects.execs[draw.graph], graph, &info);
  line.extra = std::to_string(info.result);
  return code;
}

static cudaError_t destroy_exec(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  cudaGraphExec_t exec = objects.execs[draw.graph];
  if (!exec) {
    return nothing(line);
  }
  cudaError_t code = cudaGraphExecDestroy(exec);
  if (code == cudaSuccess) {
    auto &all = objects.all_execs;
    all.erase(std::remove(all.begin(), all.end(), exec), all.end());
    objects.execs[draw.graph] = nullptr;
  }
  return code;
}

static cudaError_t malloc_async(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.slot;
  void *address = nullptr;
  cudaError_t code = cudaMallocAsync(&address, 4096, stream(objects, draw));
  if (code == cudaSuccess) {
    objects.allocated[draw.slot] = address;
    line.extra = address_of(address);
  }
  return code;
}

static cudaError_t free_async(Objects &objects, const Draw &draw, Line &line) {
  line.a1 = draw.slot;
  void *address = objects.allocated[draw.slot];
  if (!address) {
    return nothing(line);
  }
  line.extra = address_of(address);
  cudaError_t code = cudaFreeAsync(address, stream(objects, draw));
  if (code == cudaSuccess) {
    objects.allocated[draw.slot] = nullptr;
  }
  return code;
}

// cudaFree of memory that was allocated in stream order, captured or not.
static cudaError_t free_allocated(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = -1;
  line.a1 = draw.slot;
  void *address = objects.allocated[draw.slot];
  if (!address) {
    return nothing(line);
  }
  line.extra = address_of(address);
  cudaError_t code = cudaFree(address);
  if (code == cudaSuccess) {
    objects.allocated[draw.slot] = nullptr;
  }
  return code;
}

static cudaError_t malloc_and_free(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  void *address = nullptr;
  cudaError_t code = cudaMalloc(&address, 4096);
  if (code == cudaSuccess) {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cudaFree(address);
  }
  return code;
}

static cudaError_t malloc_and_free_by_driver(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  CUdeviceptr address = 0;
  CUresult code = cuMemAlloc(&address, 4096);
  if (code == CUDA_SUCCESS) {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cuMemFree(address);
  }
  return in_runtime_terms(code);
}

static cudaError_t malloc_nothing(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  void *address = nullptr;
  return cudaMalloc(&address, 0);
}

static cudaError_t free_memory(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  void *address = nullptr;
  {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cudaMalloc(&address, 4096);
  }
  cudaError_t code = cudaFree(address);
  if (code != cudaSuccess) {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cudaFree(address);
  }
  return code;
}

static cudaError_t host_alloc(Objects &objects, const Draw &, Line &line) {
  line.a0 = -1;
  void *address = nullptr;
  cudaError_t code = cudaHostAlloc(&address, 4096, 0);
  if (code == cudaSuccess) {
    objects.host_memory.push_back(address);
  }
  return code;
}

static cudaError_t free_host(Objects &objects, const Draw &, Line &line) {
  line.a0 = -1;
  void *address = nullptr;
  {
    Exchanged relaxed(cudaStreamCaptureModeRelaxed);
    cudaHostAlloc(&address, 4096, 0);
  }
  cudaError_t code = cudaFreeHost(address);
  if (code != cudaSuccess) {
    objects.host_memory.push_back(address);
  }
  return code;
}

static cudaError_t exchange_mode(Objects &, const Draw &draw, Line &line) {
  line.a0 = draw.mode;
  cudaStreamCaptureMode mode = static_cast<cudaStreamCaptureMode>(draw.mode);
  cudaError_t code = cudaThreadExchangeStreamCaptureMode(&mode);
  line.extra = std::to_string(mode);
  return code;
}

static cudaError_t is_capturing(Objects &objects, const Draw &draw, Line &line) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaError_t code = cudaStreamIsCapturing(stream(objects, draw), &status);
  line.extra = std::to_string(status);
  return code;
}

// Destroys a stream, and makes another in its place.
static cudaError_t replace_stream(Objects &objects, const Draw &draw, Line &line) {
  bool is_created = draw.stream != LEGACY && draw.stream != PER_THREAD && draw.stream != REMOTE_LEGACY;
  if (!is_created) {
    return nothing(line);
  }
  cudaError_t code = cudaStreamDestroy(stream(objects, draw));
  objects.lose_captured(draw);
  objects.create_stream(draw.stream);
  return code;
}

// Destroys an event, and makes another in its place.
static cudaError_t replace_event(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.event;
  cudaError_t code = cudaEventDestroy(objects.events[draw.event]);
  objects.create_event(draw.event);
  return code;
}

static cudaError_t create_and_destroy_stream(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  cudaStream_t made = nullptr;
  cudaError_t code = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
  if (code == cudaSuccess) {
    cudaStreamDestroy(made);
  }
  return code;
}

static cudaError_t launch_badly(Objects &objects, const Draw &draw, Line &) {
  return cudaLaunchKernel(kernel().symbol, dim3(1), dim3(4096), nullptr, 0, stream(objects, draw));
}

static cudaError_t launch_kernel(Objects &objects, const Draw &draw, Line &) {
  return cudaLaunchKernel(kernel().symbol, dim3(1), dim3(1), nullptr, 0, stream(objects, draw));
}

// May begin before the kernel before it ends: such an edge has data of its own.
static cudaError_t launch_overlapping(Objects &objects, const Draw &draw, Line &) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream(objects, draw);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, kernel().symbol, nullptr);
}

static cudaError_t share_user_object(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  cudaGraph_t graph = objects.graphs[draw.graph];
  if (!graph) {
    return nothing(line);
  }
  cudaUserObject_t object = nullptr;
  cudaError_t code = cudaUserObjectCreate(&object, memory().pageable, do_nothing, 1, cudaUserObjectNoDestructorSync);
  return code == cudaSuccess ? cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) : code;
}

static cudaError_t share_memory(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  cudaIpcMemHandle_t handle;
  return cudaIpcGetMemHandle(&handle, memory().device[0][0]);
}

static cudaError_t make_virtual_memory(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle handle = 0;
  CUresult code = cuMemCreate(&handle, 2 << 20, &properties, 0);
  if (code == CUDA_SUCCESS) {
    code = cuMemRelease(handle);
  }
  return in_runtime_terms(code);
}

static cudaError_t ask_for_free_memory(Objects &, const Draw &, Line &line) {
  line.a0 = -1;
  size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total);
}

#define ON_STREAM(call) [](Objects & o, [[maybe_unused]] const Draw &d, Line &)->cudaError_t { return call; }
#define ON_EVENT(call) [](Objects & o, const Draw &d, Line &l)->cudaError_t { l.a1 = d.event; return call; }
#define OF_EVENT(call) [](Objects & o, const Draw &d, Line &l)->cudaError_t { l.a0 = d.event; return call; }

const std::vector<Operation> OPERATIONS = {
    {"begin", 9, 8, begin},
    {"end", 9, 10, end},
    {"memset", 12, 8, ON_STREAM(cudaMemsetAsync(device_memory(d, d.slot), 1, 256, stream(o, d)))},
    {"memcpy_d2d", 5, 3, ON_STREAM(cudaMemcpyAsync(device_memory(d, 0), device_memory(d, 1), 256, cudaMemcpyDeviceToDevice, stream(o, d)))},
    {"memcpy_h2d_pinned", 4, 2, ON_STREAM(cudaMemcpyAsync(device_memory(d, d.slot), memory().pinned, 256, cudaMemcpyHostToDevice, stream(o, d)))},
    {"memcpy_h2d_pageable", 2, 1, ON_STREAM(cudaMemcpyAsync(device_memory(d, d.slot), memory().pageable, 256, cudaMemcpyHostToDevice, stream(o, d)))},
    {"memcpy_d2h_pageable", 1, 1, ON_STREAM(cudaMemcpyAsync(memory().pageable, device_memory(d, d.slot), 256, cudaMemcpyDeviceToHost, stream(o, d)))},
    {"host", 4, 2, ON_STREAM(cudaLaunchHostFunc(stream(o, d), do_nothing, nullptr))},
    {"event_record", 12, 14, ON_EVENT(cudaEventRecord(o.events[d.event], stream(o, d)))},
    {"wait_event", 12, 14, ON_EVENT(cudaStreamWaitEvent(stream(o, d), o.events[d.event], 0))},
    {"event_query", 3, 1, OF_EVENT(timeless(cudaEventQuery(o.events[d.event])))},
    {"event_sync", 2, 1, OF_EVENT(cudaEventSynchronize(o.events[d.event]))},
    {"stream_query", 3, 1, ON_STREAM(timeless(cudaStreamQuery(stream(o, d))))},
    {"stream_sync", 3, 1, ON_STREAM(cudaStreamSynchronize(stream(o, d)))},
    {"device_sync", 2, 1, [](Objects &o, const Draw &d, Line &l) -> cudaError_t { l.a0 = o.devices > 1 ? device_of(d.stream) : -1; return cudaDeviceSynchronize(); }},
    {"malloc", 3, 1, malloc_and_free},
    {"free", 2, 1, free_memory},
    {"host_alloc", 2, 1, host_alloc},
    {"free_host", 1, 0, free_host},
    {"malloc_async", 3, 5, malloc_async},
    {"free_async", 2, 5, free_async},
    {"exchange_mode", 5, 3, exchange_mode},
    {"is_capturing", 3, 1, is_capturing},
    {"instantiate", 4, 6, instantiate},
    {"launch", 4, 6, launch},
    {"graph_destroy", 1, 2, destroy_graph},
    {"memset_sync", 1, 1, [](Objects &, const Draw &d, Line &l) -> cudaError_t { l.a0 = device_of(d.stream); return cudaMemset(device_memory(d, d.slot), 0, 64); }},
    {"memcpy_sync", 1, 1, [](Objects &, const Draw &d, Line &l) -> cudaError_t { l.a0 = device_of(d.stream); return cudaMemcpy(device_memory(d, d.slot), memory().pageable, 64, cudaMemcpyHostToDevice); }},
    {"event_record_ext", 2, 2, ON_EVENT(cudaEventRecordWithFlags(o.events[d.event], stream(o, d), cudaEventRecordExternal))},
    {"wait_event_ext", 2, 2, ON_EVENT(cudaStreamWaitEvent(stream(o, d), o.events[d.event], cudaEventWaitExternal))},
    {"stream_create", 2, 1, create_and_destroy_stream},
    {"event_elapsed", 1, 1, [](Objects &o, const Draw &d, Line &l) -> cudaError_t { l.a0 = d.event; l.a1 = (d.event + 1) % EVENTS; float time; return timeless(cudaEventElapsedTime(&time, o.events[l.a0], o.events[l.a1])); }},
    {"exec_update", 2, 3, update_exec},
    {"exec_destroy", 1, 2, destroy_exec},
    {"mem_get_info", 1, 1, ask_for_free_memory},

    {"kernel", 0, 6, launch_kernel},
    {"kernel_by_driver", 0, 3, ON_STREAM(in_runtime_terms(cuLaunchKernel(kernel().function, 1, 1, 1, 1, 1, 1, 0, stream(o, d), nullptr, nullptr)))},
    {"kernel_bad", 0, 1, launch_badly},
    {"kernel_bad_by_driver", 0, 1, ON_STREAM(in_runtime_terms(cuLaunchKernel(kernel().function, 1, 1, 1, 4096, 1, 1, 0, stream(o, d), nullptr, nullptr)))},
    {"memset_zero", 0, 1, ON_STREAM(cudaMemsetAsync(device_memory(d, d.slot), 1, 0, stream(o, d)))},
    {"memset_by_driver", 0, 2, ON_STREAM(in_runtime_terms(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(device_memory(d, d.slot)), 1, 256, stream(o, d))))},
    {"write_value", 0, 1, ON_STREAM(in_runtime_terms(cuStreamWriteValue32(stream(o, d), reinterpret_cast<CUdeviceptr>(device_memory(d, d.slot)), 1, 0)))},
    {"callback", 0, 1, ON_STREAM(cudaStreamAddCallback(stream(o, d), do_nothing_after, nullptr, 0))},
    {"begin_by_driver", 0, 2, begin_by_driver},
    {"end_by_driver", 0, 2, end_by_driver},
    {"begin_to_graph", 0, 6, begin_to_graph},
    {"update_capture", 0, 5, update_capture},
    {"insert", 0, 6, insert},
    {"stream_replace", 0, 1, replace_stream},
    {"event_replace", 0, 2, replace_event},
    {"wait_null", 0, 1, ON_STREAM(cudaStreamWaitEvent(stream(o, d), nullptr, 0))},
    {"record_null", 0, 1, ON_STREAM(cudaEventRecord(nullptr, stream(o, d)))},
    {"get_priority", 0, 1, ON_STREAM([&] { int priority; return cudaStreamGetPriority(stream(o, d), &priority); }())},
    {"get_flags", 0, 1, ON_STREAM([&] { unsigned flags; return cudaStreamGetFlags(stream(o, d), &flags); }())},
    {"graph_create", 0, 2, create_graph},
    {"graph_look", 0, 3, look_at_graph},
    {"upload", 0, 1, upload},
    {"free_allocated", 0, 3, free_allocated},
    {"malloc_by_driver", 0, 1, malloc_and_free_by_driver},
    {"malloc_zero", 0, 1, malloc_nothing},
    {"user_object", 0, 1, share_user_object},
    {"ipc", 0, 1, share_memory},
    {"virtual_memory", 0, 1, make_virtual_memory},

    {"graph_create", 0, 0, create_graph, 6},
    {"graph_add", 0, 0, add_to_graph, 40},
    {"graph_body", 0, 0, add_to_body, 4},
    {"graph_link", 0, 0, link_nodes, 6},
    {"graph_unlink", 0, 0, unlink_nodes, 4},
    {"graph_remove_node", 0, 0, remove_node, 4},
    {"graph_clone", 0, 0, clone_graph, 6},
    {"kernel_overlapping", 0, 0, launch_overlapping, 8},
    {"memset_rows", 0, 0, ON_STREAM(cudaMemset2DAsync(device_memory(d, d.slot), 64, 1, 32, 2, stream(o, d))), 4},
    {"memcpy_rows", 0, 0, ON_STREAM(cudaMemcpy2DAsync(device_memory(d, 0), 64, device_memory(d, 1), 64, 32, 2, cudaMemcpyDeviceToDevice, stream(o, d))), 4},
    {"exec_update", 0, 0, update_exec, 8},

    {"graph_create", 0, 0, create_graph, 0, 10},
    {"graph_add", 0, 0, add_what_limits, 0, 40},
    {"graph_body", 0, 0, add_to_body, 0, 10},
    {"graph_link", 0, 0, link_nodes, 0, 5},
    {"graph_remove_node", 0, 0, remove_node, 0, 8},
    {"graph_clone", 0, 0, clone_graph, 0, 10},
    {"graph_destroy", 0, 0, destroy_graph, 0, 6},
    {"instantiate", 0, 0, instantiate, 0, 25},
    {"exec_update", 0, 0, update_exec, 0, 15},
    {"exec_destroy", 0, 0, destroy_exec, 0, 8},
    {"launch", 0, 0, launch, 0, 12},
    {"free_async", 0, 0, free_async, 0, 5},
};
