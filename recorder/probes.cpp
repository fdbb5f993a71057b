// Which calls a capture permits: every call × mode of the capture × calling thread × exchanged mode of that thread × stream.
// One JSON line a probe: `api` (`name@stream` where a stream matters), the modes (0 global, 1 thread-local, 2 relaxed),
// `thread` own or other, `capture_stream` NB (non-blocking) or BL (blocking), `rc` of the call, `end` = result of ending
// the capture, `nodes` captured (-1: no graph), `val`: the capture status that the call returned.
#include "probes.h"

#include <cstdio>
#include <cstdlib>

ProbeMemory probe_memory;

static cudaGraph_t small_graph(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cudaMemsetAsync(probe_memory.device_too, 0, 64, stream);
  cudaStreamEndCapture(stream, &graph);
  return graph;
}

Scene::Scene() {
  for (cudaStream_t *stream : {&non_blocking, &other_non_blocking, &destroyable}) {
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  }
  for (cudaStream_t *stream : {&blocking, &other_blocking}) {
    cudaStreamCreateWithFlags(stream, cudaStreamDefault);
  }
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  for (cudaEvent_t *event : {&start, &end, &destroyable_event}) {
    cudaEventCreate(event);
  }
  for (cudaEvent_t event : {untimed, start, end}) {
    cudaEventRecord(event, other_non_blocking);
  }
  cudaStreamSynchronize(other_non_blocking);
  for (cudaGraph_t *made : {&graph, &other_graph, &destroyable_graph}) {
    *made = small_graph(other_non_blocking);
  }
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphInstantiate(&destroyable_exec, destroyable_graph, 0);
}

Scene::~Scene() {
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(other_graph);
  if (captured) {
    cudaGraphDestroy(captured);
  }
  for (cudaStream_t stream : {non_blocking, other_non_blocking, blocking, other_blocking}) {
    cudaStreamDestroy(stream);
  }
  for (cudaEvent_t event : {untimed, start, end}) {
    cudaEventDestroy(event);
  }
  if (managed) {
    cudaFree(managed);
  }
  cudaGetLastError();
}

static void end_everything(Scene &scene) {
  for (cudaStream_t stream :
       {scene.non_blocking, scene.other_non_blocking, scene.blocking, scene.other_blocking, cudaStreamPerThread}) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t code = cudaStreamIsCapturing(stream, &status);
    if (code != cudaSuccess || status != cudaStreamCaptureStatusNone) {
      cudaGraph_t graph = nullptr;
      cudaStreamEndCapture(stream, &graph);
    }
  }
  cudaGetLastError();
}

// Where a call's stream is.
enum Place { NOWHERE, CAPTURING, OTHER_NON_BLOCKING, OTHER_BLOCKING, LEGACY_STREAM, PER_THREAD_STREAM };
static const char *PLACE_NAMES[] = {"", "capturing", "other_nonblocking", "other_blocking", "legacy", "per_thread"};

struct Situation {
  int mode, exchange;
  bool own, blocking;
  Place place;
};

static cudaStream_t at(Scene &scene, const Situation &situation) {
  switch (situation.place) {
  case CAPTURING:
    return situation.blocking ? scene.blocking : scene.non_blocking;
  case OTHER_NON_BLOCKING:
    return scene.other_non_blocking;
  case OTHER_BLOCKING:
    return situation.blocking ? scene.other_blocking : scene.blocking;
  case PER_THREAD_STREAM:
    return cudaStreamPerThread;
  default:
    return nullptr;
  }
}

static void probe(Worker &other, const std::string &name, const Situation &situation, const std::function<void(Scene &)> &prepare,
                  const std::function<int(Scene &, cudaStream_t)> &make) {
  Scene scene;
  prepare(scene);
  cudaGetLastError();
  cudaStream_t capturing = situation.blocking ? scene.blocking : scene.non_blocking;
  int began = cudaStreamBeginCapture(capturing, static_cast<cudaStreamCaptureMode>(situation.mode));
  cudaMemsetAsync(probe_memory.device, 0, 64, capturing);

  int code = 0;
  auto call = [&] {
    Exchanged exchanged(static_cast<cudaStreamCaptureMode>(situation.exchange));
    code = make(scene, at(scene, situation));
  };
  if (situation.own) {
    call();
  } else {
    other.run(call);
  }
  cudaGetLastError();

  int end = cudaStreamEndCapture(capturing, &scene.captured);
  long nodes = end == 0 && scene.captured ? static_cast<long>(nodes_of(scene.captured).size()) : -1;
  end_everything(scene);
  other.run([&] { end_everything(scene); });
  end_everything(scene);
  std::string api = situation.place == NOWHERE ? name : name + "@" + PLACE_NAMES[situation.place];
  printf("{\"api\":\"%s\",\"mode\":%d,\"thread\":\"%s\",\"exchange\":%d,\"capture_stream\":\"%s\",\"begin\":%d,\"rc\":%d,"
         "\"end\":%d,\"nodes\":%ld,\"val\":null}\n",
         api.c_str(), situation.mode, situation.own ? "own" : "other", situation.exchange, situation.blocking ? "BL" : "NB", began,
         code, end, nodes);
}

static void probe_plain_calls(Worker &other) {
  for (bool blocking : {false, true}) {
    for (int mode = 0; mode < 3; mode++) {
      for (bool own : {true, false}) {
        for (int exchange = 0; exchange < 3; exchange++) {
          for (const PlainCall &call : PLAIN_CALLS) {
            Situation situation = {mode, exchange, own, blocking, NOWHERE};
            probe(other, call.name, situation, call.prepare, [&](Scene &scene, cudaStream_t) { return call.make(scene); });
          }
        }
      }
    }
  }
}

static void probe_stream_calls(Worker &other) {
  for (bool blocking : {false, true}) {
    for (int mode = 0; mode < 3; mode++) {
      for (bool own : {true, false}) {
        for (int exchange : {0, 2}) {
          if (exchange == 2 && mode != 0) {
            continue;
          }
          for (Place place : {CAPTURING, OTHER_NON_BLOCKING, OTHER_BLOCKING, LEGACY_STREAM, PER_THREAD_STREAM}) {
            for (const StreamCall &call : STREAM_CALLS) {
              probe(other, call.name, {mode, exchange, own, blocking, place}, call.prepare, call.make);
            }
          }
        }
      }
    }
  }
}

int record_probes(int devices) {
  cudaMalloc(&probe_memory.device, 1 << 20);
  cudaMalloc(&probe_memory.device_too, 1 << 20);
  cudaHostAlloc(reinterpret_cast<void **>(&probe_memory.pinned), 1 << 16, 0);
  probe_memory.pageable = static_cast<char *>(aligned_alloc(4096, 1 << 16));
  kernel();
  printf("{\"recording\":\"probes\",%s,\"devices\":%d}\n", provenance().c_str(), devices);
  Worker other;
  // The driver's own functions need a context that is current.
  other.run([] { cudaSetDevice(0); });
  probe_plain_calls(other);
  probe_stream_calls(other);
  cudaError_t end = cudaDeviceSynchronize();
  if (end != cudaSuccess) {
    fprintf(stderr, "the probes left the device with error %d\n", end);
  }
  return end != cudaSuccess;
}
