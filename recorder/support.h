// What both kinds of recordings are made with: threads that take turns, random numbers, CUDA's versions, JSON.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <cuda.h>
#include <cuda_runtime_api.h>

// Raised whenever the same seed would give another program, or a line has another meaning.
constexpr int RECORDER_VERSION = 2;

// A thread that does what it is told, while the teller waits. So threads take turns, and a recording repeats.
class Worker {
public:
  Worker();
  ~Worker();
  void run(std::function<void()> task);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> task;
  bool quits = false;
  std::thread thread;
};

// Numbers that depend on nothing but the seed (xorshift*).
class Random {
public:
  explicit Random(uint64_t seed);
  unsigned below(unsigned bound);

private:
  uint64_t state;
};

// Exchanges the calling thread's capture mode for as long as it lives.
class Exchanged {
public:
  explicit Exchanged(cudaStreamCaptureMode mode);
  ~Exchanged();

private:
  cudaStreamCaptureMode previous;
};

// What cudaStreamGetCaptureInfo says.
struct CaptureInfo {
  cudaError_t code = cudaErrorInvalidValue;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  std::vector<cudaGraphNode_t> dependencies;
};
CaptureInfo capture_info(cudaStream_t stream);

// Calls whose parameters differ between versions of CUDA.
cudaError_t update_dependencies(cudaStream_t stream, std::vector<cudaGraphNode_t> nodes, unsigned flags);
cudaError_t add_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to);
cudaError_t remove_edge(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to);
// `body` gets the graph that the node runs.
cudaError_t add_conditional(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after, cudaGraphNode_t *node,
                            cudaGraph_t *body = nullptr);
cudaError_t prefetch(const void *address, size_t bytes, cudaStream_t stream);

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph);

// An edge: the places of its nodes, and its data as a number, 0 for an ordinary one.
struct Edge {
  long from, to;
  uint64_t data;
};
// Ascending by place.
std::vector<Edge> edges_of(cudaGraph_t graph);

// A graph as JSON: the type of each node, the edges, ascending, and the data of those that have any, by their place in the
// list.
std::string describe(cudaGraph_t graph);

// A kernel that does nothing, in both APIs' terms.
struct Kernel {
  CUmodule module;
  CUfunction function;
  CUlibrary library;
  const void *symbol;
};
const Kernel &kernel();
extern const char KERNEL_SOURCE[];

void CUDART_CB do_nothing(void *);
void CUDART_CB do_nothing_after(cudaStream_t, cudaError_t, void *);

// The fields that every header line has: recorder, driver, GPUs, versions.
std::string provenance();
