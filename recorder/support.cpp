#include "support.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

Worker::Worker() : thread([this] { loop(); }) {}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    quits = true;
  }
  changed.notify_all();
  thread.join();
}

void Worker::run(std::function<void()> next) {
  std::unique_lock<std::mutex> lock(mutex);
  task = std::move(next);
  changed.notify_all();
  changed.wait(lock, [this] { return !task; });
}

void Worker::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return task || quits; });
    if (quits) {
      return;
    }
    task();
    task = nullptr;
    changed.notify_all();
  }
}

Random::Random(uint64_t seed) : state(seed * 0xD1342543DE82EF95ull + 0x2545F4914F6CDD1Dull) {
  if (state == 0) {
    state = 1;
  }
  for (int i = 0; i < 8; i++) {
    below(2);
  }
}

unsigned Random::below(unsigned bound) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<unsigned>((state * 0x2545F4914F6CDD1Dull) >> 33) % bound;
}

Exchanged::Exchanged(cudaStreamCaptureMode mode) : previous(mode) { cudaThreadExchangeStreamCaptureMode(&previous); }

Exchanged::~Exchanged() { cudaThreadExchangeStreamCaptureMode(&previous); }

CaptureInfo capture_info(cudaStream_t stream) {
  CaptureInfo info;
  unsigned long long id = 0;
  const cudaGraphNode_t *nodes = nullptr;
  size_t count = 0;
#if CUDART_VERSION >= 13000
  const cudaGraphEdgeData *edges = nullptr;
  info.code = cudaStreamGetCaptureInfo(stream, &info.status, &id, &info.graph, &nodes, &edges, &count);
#else
  info.code = cudaStreamGetCaptureInfo_v2(stream, &info.status, &id, &info.graph, &nodes, &count);
#endif
  if (info.code == cudaSuccess && info.status == cudaStreamCaptureStatusActive) {
    info.dependencies.assign(nodes, nodes + count);
  } else {
    info.graph = nullptr;
  }
  return info;
}

cudaError_t update_dependencies(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes, unsigned flags) {
#if CUDART_VERSION >= 13000
  return cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nullptr, nodes.size(), flags);
#else
  return cudaStreamUpdateCaptureDependencies(stream, nodes.data(), nodes.size(), flags);
#endif
}

cudaError_t add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
#else
  return cudaGraphAddDependencies(graph, &from, &to, 1);
#endif
}

cudaError_t remove_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
#if CUDART_VERSION >= 13000
  return cudaGraphRemoveDependencies(graph, &from, &to, nullptr, 1);
#else
  return cudaGraphRemoveDependencies(graph, &from, &to, 1);
#endif
}

cudaError_t add_conditional(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after, cudaGraphNode_t *node,
                            cudaGraph_t *body) {
  cudaGraphConditionalHandle handle;
  cudaError_t code = cudaGraphConditionalHandleCreate(&handle, graph, 0, 0);
  if (code != cudaSuccess) {
    return code;
  }
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
#if CUDART_VERSION >= 13000
  code = cudaGraphAddNode(node, graph, after.data(), nullptr, after.size(), &parameters);
#else
  code = cudaGraphAddNode(node, graph, after.data(), after.size(), &parameters);
#endif
  if (code == cudaSuccess && body) {
    *body = parameters.conditional.phGraph_out[0];
  }
  return code;
}

cudaError_t prefetch(const void *address, size_t bytes, cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  return cudaMemPrefetchAsync(address, bytes, location, 0, stream);
#else
  return cudaMemPrefetchAsync(address, bytes, 0, stream);
#endif
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  size_t count = 0;
  cudaGraphGetNodes(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) {
    cudaGraphGetNodes(graph, nodes.data(), &count);
  }
  return nodes;
}

std::vector<Edge> edges_of(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  size_t count = 0;
#if CUDART_VERSION >= 13000
  auto ask = [&](cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data) {
    cudaGraphGetEdges(graph, from, to, data, &count);
  };
#else
  auto ask = [&](cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data) {
    cudaGraphGetEdges_v2(graph, from, to, data, &count);
  };
#endif
  ask(nullptr, nullptr, nullptr);
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (count > 0) {
    ask(from.data(), to.data(), data.data());
  }
  auto place = [&](cudaGraphNode_t node) { return std::find(nodes.begin(), nodes.end(), node) - nodes.begin(); };
  std::vector<Edge> edges;
  for (size_t i = 0; i < count; i++) {
    uint64_t number = 0;
    static_assert(sizeof number == sizeof data[i], "an edge's data is eight bytes");
    memcpy(&number, &data[i], sizeof number);
    edges.push_back({place(from[i]), place(to[i]), number});
  }
  auto places = [](const Edge &edge) { return std::make_pair(edge.from, edge.to); };
  std::sort(edges.begin(), edges.end(), [&](const Edge &one, const Edge &other) { return places(one) < places(other); });
  return edges;
}

std::string describe(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  std::vector<Edge> edges = edges_of(graph);
  std::string text = "{\"nodes\":[";
  for (size_t i = 0; i < nodes.size(); i++) {
    // The runtime's own question does not know batches of memory operations.
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    cuGraphNodeGetType(nodes[i], &type);
    text += (i ? "," : "") + std::to_string(static_cast<int>(type));
  }
  text += "],\"edges\":[";
  std::string data;
  for (size_t i = 0; i < edges.size(); i++) {
    text += (i ? ",[" : "[") + std::to_string(edges[i].from) + "," + std::to_string(edges[i].to) + "]";
    if (edges[i].data) {
      data += (data.empty() ? "[" : ",[") + std::to_string(i) + "," + std::to_string(edges[i].data) + "]";
    }
  }
  return text + (data.empty() ? "]}" : "],\"data\":[" + data + "]}");
}

const char KERNEL_SOURCE[] = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry nothing() { ret; }\n";

const Kernel &kernel() {
  static const Kernel made = [] {
    Kernel kernel = {};
    CUkernel symbol = nullptr;
    cudaFree(nullptr);
    bool ok = cuModuleLoadData(&kernel.module, KERNEL_SOURCE) == CUDA_SUCCESS &&
              cuLibraryLoadData(&kernel.library, KERNEL_SOURCE, nullptr, nullptr, 0, nullptr, nullptr, 0) == CUDA_SUCCESS &&
              cuLibraryGetKernel(&symbol, kernel.library, "nothing") == CUDA_SUCCESS;
    if (!ok) {
      fprintf(stderr, "cannot load a kernel\n");
      exit(1);
    }
    kernel.symbol = symbol;
    // Unlike a module's function it can be launched on every device.
    kernel.function = reinterpret_cast<CUfunction>(symbol);
    return kernel;
  }();
  return made;
}

void CUDART_CB do_nothing(void *) {}
void CUDART_CB do_nothing_after(cudaStream_t, cudaError_t, void *) {}

// The driver's version as NVIDIA names it, e.g. 580.159.04; only the management library tells it.
static std::string driver_version() {
  char version[96] = "unknown";
  if (void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    auto ask = reinterpret_cast<int (*)(char *, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
    if (init && ask && init() == 0) {
      ask(version, sizeof version);
    }
  }
  return version;
}

std::string provenance() {
  int driver = 0, runtime = 0, devices = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  cudaGetDeviceCount(&devices);
  cudaDeviceProp properties = {};
  cudaGetDeviceProperties(&properties, 0);
  return "\"recorder\":" + std::to_string(RECORDER_VERSION) + ",\"gpu\":\"" + properties.name +
         "\",\"gpus\":" + std::to_string(devices) + ",\"driver\":\"" + driver_version() +
         "\",\"cuda_driver\":" + std::to_string(driver) + ",\"cuda_runtime\":" + std::to_string(runtime);
}
