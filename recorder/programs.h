// Random programs: what they have at hand, and the operations they are made of.
#pragma once

#include "support.h"

#include <map>

constexpr int EVENTS = 4;
constexpr int GRAPHS = 3;
constexpr int SLOTS = 2;

// By index, as a recording names them. The second device's exist only where there are two.
enum StreamIndex { LEGACY, NON_BLOCKING, NON_BLOCKING_TOO, BLOCKING, PER_THREAD, REMOTE, REMOTE_BLOCKING, REMOTE_LEGACY, STREAMS };

inline int device_of(int stream) { return stream >= REMOTE ? 1 : 0; }

// The objects of one program; all die with it.
struct Objects {
  explicit Objects(int devices);
  ~Objects();

  void create_stream(int index);
  void create_event(int index);
  void keep(int graph, cudaGraph_t made);
  // A stream captures into a graph of the program's. A capture that ends badly destroys such a graph.
  void capture_into(const struct Draw &draw, cudaGraph_t graph);
  bool is_captured_into(cudaGraph_t graph) const;
  // The capture that began on this stream ended well.
  void keep_captured(const struct Draw &draw);
  // It ended otherwise, and the program no longer has the graph it captured into.
  void lose_captured(const struct Draw &draw);
  void forget(cudaGraph_t graph);
  // Code, status and number of dependencies of each created stream, as JSON.
  std::string states() const;
  // Ends what the calling thread may have left.
  void clean_thread();

  int devices;
  cudaStream_t streams[STREAMS] = {};
  cudaEvent_t events[EVENTS] = {};
  cudaGraph_t graphs[GRAPHS] = {};
  cudaGraphExec_t execs[GRAPHS] = {};
  void *allocated[SLOTS] = {};
  // The thread that began a capture on a stream which may still run, or -1.
  int begun[STREAMS];
  // By stream and, for the per-thread stream, thread.
  std::map<std::pair<int, int>, cudaGraph_t> captured_into;
  std::vector<cudaGraph_t> all_graphs;
  std::vector<cudaGraphExec_t> all_execs;
  std::vector<void *> host_memory;
};

// What chance chose for one operation.
struct Draw {
  int thread, stream, event, graph, slot, mode, variant;
};

// What a recording keeps of one operation besides its code.
struct Line {
  const char *name;
  long a0 = -1, a1 = -1;
  std::string extra = "null";
};

struct Operation {
  const char *name;
  // How often it is drawn in basic and in rich programs, how much oftener in built ones than in rich ones, and how often
  // in nested ones besides a few as in rich ones.
  int basic, rich;
  cudaError_t (*run)(Objects &, const Draw &, Line &);
  int built = 0, nested = 0;
};
extern const std::vector<Operation> OPERATIONS;

// An operation that lacks what it would work on does nothing, and says so.
cudaError_t nothing(Line &line);

// The operations on graphs that are built by hand (graphs.cpp).
cudaError_t add_to_graph(Objects &objects, const Draw &draw, Line &line);
cudaError_t add_what_limits(Objects &objects, const Draw &draw, Line &line);
cudaError_t add_to_body(Objects &objects, const Draw &draw, Line &line);
cudaError_t link_nodes(Objects &objects, const Draw &draw, Line &line);
cudaError_t unlink_nodes(Objects &objects, const Draw &draw, Line &line);
cudaError_t remove_node(Objects &objects, const Draw &draw, Line &line);
cudaError_t clone_graph(Objects &objects, const Draw &draw, Line &line);

// Memory that every program uses, on each device.
struct Memory {
  void *device[2][2];
  void *pinned;
  char pageable[4096];
};
Memory &memory();

enum Programs { BASIC, RICH, BUILT, NESTED };
int record_programs(uint64_t first_seed, int count, Programs kind, int devices);
