// Probes: one call while a stream captures.
#pragma once

#include "support.h"

// What a probe's call may work on, made anew for each probe.
struct Scene {
  Scene();
  ~Scene();

  cudaStream_t non_blocking, other_non_blocking, blocking, other_blocking, destroyable;
  cudaEvent_t untimed, start, end, destroyable_event;
  cudaGraph_t graph, other_graph, destroyable_graph, captured = nullptr;
  cudaGraphExec_t exec, destroyable_exec;
  // Handles that only some calls need, made before the capture begins.
  void *address = nullptr, *host_address = nullptr, *managed = nullptr;
  CUmodule module = nullptr;
  CUdeviceptr reserved = 0;
  CUmemGenericAllocationHandle physical = 0;
  cudaMemPool_t pool = nullptr;
};

// A call, with what must be made ready for it before the capture begins.
struct PlainCall {
  const char *name;
  void (*prepare)(Scene &);
  int (*make)(Scene &);
};
struct StreamCall {
  const char *name;
  void (*prepare)(Scene &);
  int (*make)(Scene &, cudaStream_t);
};
extern const std::vector<PlainCall> PLAIN_CALLS;
extern const std::vector<StreamCall> STREAM_CALLS;

// Memory that every probe uses.
struct ProbeMemory {
  void *device, *device_too, *pinned;
  char *pageable;
};
extern ProbeMemory probe_memory;

int record_probes(int devices);
