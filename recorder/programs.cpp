// Random programs of 1 to 3 threads over the stream-capture API. One JSON line each:
// {"seed":…,"threads":…,"ops":[[thread,"name",a0,a1,code,extra,[[code,status,dependencies] of each created stream]],…]}
#include "programs.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include <unistd.h>

Memory &memory() {
  static Memory memory = {};
  return memory;
}

static void allocate(int devices) {
  for (int device = devices - 1; device >= 0; device--) {
    cudaSetDevice(device);
    for (void *&address : memory().device[device]) {
      cudaMalloc(&address, 1 << 16);
    }
  }
  cudaHostAlloc(&memory().pinned, 4096, 0);
}

Objects::Objects(int devices) : devices(devices) {
  std::fill(begun, begun + STREAMS, -1);
  streams[PER_THREAD] = cudaStreamPerThread;
  for (int index : {NON_BLOCKING, NON_BLOCKING_TOO, BLOCKING}) {
    create_stream(index);
  }
  if (devices > 1) {
    create_stream(REMOTE);
    create_stream(REMOTE_BLOCKING);
  }
  for (int index = 0; index < EVENTS; index++) {
    create_event(index);
  }
}

void Objects::create_stream(int index) {
  cudaSetDevice(device_of(index));
  bool blocking = index == BLOCKING || index == REMOTE_BLOCKING;
  cudaStreamCreateWithFlags(&streams[index], blocking ? cudaStreamDefault : cudaStreamNonBlocking);
  begun[index] = -1;
  cudaSetDevice(0);
}

// The last two measure time; where there are two devices, the last belongs to the second.
void Objects::create_event(int index) {
  cudaSetDevice(devices > 1 && index == EVENTS - 1 ? 1 : 0);
  cudaEventCreateWithFlags(&events[index], index >= 2 ? cudaEventDefault : cudaEventDisableTiming);
  cudaSetDevice(0);
}

void Objects::keep(int index, cudaGraph_t made) {
  graphs[index] = made;
  if (std::find(all_graphs.begin(), all_graphs.end(), made) == all_graphs.end()) {
    all_graphs.push_back(made);
  }
}

static std::pair<int, int> origin(const Draw &draw) { return {draw.stream, draw.stream == PER_THREAD ? draw.thread : 0}; }

void Objects::capture_into(const Draw &draw, cudaGraph_t graph) { captured_into[origin(draw)] = graph; }

bool Objects::is_captured_into(cudaGraph_t graph) const {
  return std::any_of(captured_into.begin(), captured_into.end(), [&](auto &entry) { return entry.second == graph; });
}

void Objects::keep_captured(const Draw &draw) { captured_into.erase(origin(draw)); }

void Objects::lose_captured(const Draw &draw) {
  auto found = captured_into.find(origin(draw));
  if (found != captured_into.end()) {
    forget(found->second);
    captured_into.erase(found);
  }
}

void Objects::forget(cudaGraph_t graph) {
  all_graphs.erase(std::remove(all_graphs.begin(), all_graphs.end(), graph), all_graphs.end());
  std::replace(graphs, graphs + GRAPHS, graph, cudaGraph_t(nullptr));
}

std::string Objects::states() const {
  std::string text = "[";
  for (int index = NON_BLOCKING; index < STREAMS; index++) {
    if (index == PER_THREAD || !streams[index]) {
      continue;
    }
    CaptureInfo info = capture_info(streams[index]);
    text += (index > NON_BLOCKING ? ",[" : "[") + std::to_string(info.code) + "," + std::to_string(info.status) + "," +
            std::to_string(info.dependencies.size()) + "]";
  }
  cudaGetLastError();
  return text + "]";
}

void Objects::clean_thread() {
  // An end may destroy these; those that it does not are kept again.
  for (auto &entry : captured_into) {
    forget(entry.second);
  }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaThreadExchangeStreamCaptureMode(&mode);
  for (cudaStream_t stream : streams) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (stream && cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone) {
      cudaGraph_t graph = nullptr;
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph) {
        keep(0, graph);
      }
    }
  }
  cudaGetLastError();
}

Objects::~Objects() {
  for (int index = NON_BLOCKING; index < STREAMS; index++) {
    if (index != PER_THREAD && streams[index]) {
      cudaStreamDestroy(streams[index]);
    }
  }
  for (cudaEvent_t event : events) {
    cudaEventDestroy(event);
  }
  for (cudaGraphExec_t exec : all_execs) {
    cudaGraphExecDestroy(exec);
  }
  for (cudaGraph_t graph : all_graphs) {
    cudaGraphDestroy(graph);
  }
  for (void *address : host_memory) {
    cudaFreeHost(address);
  }
  cudaGetLastError();
}

static int draw_stream(Random &random, int devices) {
  static const int ONE_DEVICE[] = {1, 1, 1, 2, 2, 3, LEGACY, PER_THREAD};
  static const int TWO_DEVICES[] = {1, 1, 1, 2, 2, 3, LEGACY, PER_THREAD, REMOTE, REMOTE, REMOTE_BLOCKING, REMOTE_LEGACY};
  return devices > 1 ? TWO_DEVICES[random.below(12)] : ONE_DEVICE[random.below(8)];
}

static const Operation &draw_operation(Random &random, Programs kind) {
  auto weight = [&](const Operation &operation) {
    switch (kind) {
    case BASIC:
      return operation.basic;
    case RICH:
      return operation.rich;
    case BUILT:
      return operation.rich + operation.built;
    default:
      return operation.rich / 4 + operation.nested;
    }
  };
  int total = 0;
  for (const Operation &operation : OPERATIONS) {
    total += weight(operation);
  }
  int ticket = random.below(total);
  for (const Operation &operation : OPERATIONS) {
    ticket -= weight(operation);
    if (ticket < 0) {
      return operation;
    }
  }
  return OPERATIONS.front();
}

static int one_of(Random &random, const std::vector<int> &choices, int otherwise) {
  return choices.empty() ? otherwise : choices[random.below(choices.size())];
}

// Chance alone would seldom work with a graph that is there, or in a capture by hand.
static void favour_existing(const Operation &operation, const Objects &objects, Random &random, Draw &draw) {
  std::vector<int> graphs, execs, capturing;
  for (int index = 0; index < GRAPHS; index++) {
    if (objects.graphs[index]) {
      graphs.push_back(index);
    }
    if (objects.execs[index]) {
      execs.push_back(index);
    }
  }
  for (int index = NON_BLOCKING; index < STREAMS; index++) {
    if (objects.begun[index] >= 0) {
      capturing.push_back(index);
    }
  }
  auto is = [&](std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return strcmp(operation.name, name) == 0; });
  };
  if (is({"launch", "upload", "exec_update", "exec_destroy"})) {
    draw.graph = one_of(random, execs, draw.graph);
  } else if (is({"begin_to_graph", "insert", "instantiate", "graph_destroy", "graph_look", "user_object", "graph_add", "graph_body",
                 "graph_link", "graph_unlink", "graph_remove_node", "graph_clone"})) {
    draw.graph = one_of(random, graphs, draw.graph);
  }
  if (is({"insert", "update_capture"})) {
    draw.stream = one_of(random, capturing, draw.stream);
  }
}

// Chance alone would seldom begin where a capture is possible, and seldom end where one began.
static void favour_success(const Operation &operation, const Objects &objects, Random &random, Draw &draw) {
  // Also the operations that are variants of these.
  bool begins = strstr(operation.name, "begin") != nullptr;
  bool ends = strstr(operation.name, "end") != nullptr;
  if (begins && random.below(4)) {
    draw.stream = NON_BLOCKING + random.below(2);
  }
  if (ends && random.below(4)) {
    for (int index = NON_BLOCKING; index < STREAMS; index++) {
      if (objects.begun[index] >= 0) {
        draw.stream = index;
        if (random.below(6)) {
          draw.thread = objects.begun[index];
        }
        return;
      }
    }
  }
}

// What was recorded of the running program, and the operation it is at: all that is left if the driver crashes.
static std::string text;
static const char *at_operation = "";

static void report_crash(int signal) {
  auto write_error = [](const char *part, size_t length) { return write(STDERR_FILENO, part, length); };
  if (write_error("the driver crashed in ", 22) < 0 || write_error(at_operation, strlen(at_operation)) < 0 ||
      write_error(" after ", 7) < 0 || write_error(text.data(), text.size()) < 0 || write_error("\n", 1) < 0) {
    _exit(3);
  }
  _exit(128 + signal);
}

static bool record_program(uint64_t seed, Programs kind, int devices) {
  Random random(seed);
  int threads = random.below(3) ? 1 : 2 + random.below(2);
  int length = 10 + random.below(kind == BASIC ? 40 : 60);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < threads; i++) {
    workers.push_back(std::make_unique<Worker>());
    // The driver's own functions need a context that is current.
    workers.back()->run([] { cudaSetDevice(0); });
  }
  text = "{\"seed\":" + std::to_string(seed) + ",\"threads\":" + std::to_string(threads) + ",\"ops\":[";
  {
    Objects objects(devices);
    for (int step = 0; step < length; step++) {
      const Operation &operation = draw_operation(random, kind);
      Draw draw;
      draw.thread = random.below(threads);
      draw.stream = draw_stream(random, devices);
      draw.event = random.below(EVENTS);
      draw.graph = random.below(GRAPHS);
      draw.slot = random.below(SLOTS);
      draw.mode = random.below(3);
      draw.variant = random.below(8);
      favour_success(operation, objects, random, draw);
      if (kind != BASIC && random.below(4)) {
        favour_existing(operation, objects, random, draw);
      }
      workers[draw.thread]->run([&] {
        Line line;
        line.name = operation.name;
        line.a0 = draw.stream;
        // What is built by hand belongs to the first device: a condition and what it decides about must share one.
        bool builds = strncmp(operation.name, "graph_", 6) == 0;
        if (devices > 1 && !builds) {
          cudaSetDevice(device_of(draw.stream));
        }
        at_operation = operation.name;
        cudaError_t code = operation.run(objects, draw, line);
        if (devices > 1) {
          cudaSetDevice(0);
        }
        cudaGetLastError();
        text += std::string(step ? "," : "") + "[" + std::to_string(draw.thread) + ",\"" + line.name + "\"," +
                std::to_string(line.a0) + "," + std::to_string(line.a1) + "," + std::to_string(code) + "," + line.extra + "," +
                objects.states() + "]";
      });
    }
    at_operation = "the end";
    for (auto &worker : workers) {
      worker->run([&] { objects.clean_thread(); });
    }
  }
  cudaError_t end = cudaDeviceSynchronize();
  cudaGetLastError();
  if (end != cudaSuccess) {
    // Its last answers say nothing of captures, and no other program can run in this process.
    fprintf(stderr, "the device was left with error %d by %s]}\n", end, text.c_str());
    return false;
  }
  printf("%s]}\n", text.c_str());
  fflush(stdout);
  return true;
}

int record_programs(uint64_t first_seed, int count, Programs kind, int devices) {
  static const char *KINDS[] = {"basic", "rich", "built", "nested"};
  signal(SIGSEGV, report_crash);
  allocate(devices);
  kernel();
  printf("{\"recording\":\"programs\",%s,\"operations\":\"%s\",\"devices\":%d,\"seeds\":[%llu,%d],\"timed_events\":[2,3]}\n",
         provenance().c_str(), KINDS[kind], devices, static_cast<unsigned long long>(first_seed), count);
  for (int i = 0; i < count; i++) {
    if (!record_program(first_seed + i, kind, devices)) {
      return 1;
    }
    if (i % 256 == 255) {
      cudaDeviceGraphMemTrim(0);
    }
  }
  return 0;
}
