// The operations on graphs that a program builds by hand, without a capture.
#include "programs.h"

#include <algorithm>

// What a new node is, as recordings number it.
enum Kind { EMPTY, KERNEL, FILL, FILL_ROWS, HOST, CHILD, RECORD, WAIT, ALLOCATION, FREE, CONDITIONAL, COPY, COPY_ROWS, KINDS };

// The nodes that a new one waits for: 0 none, 1 the last, 2 all.
static std::vector<cudaGraphNode_t> waited_for(cudaGraph_t graph, int choice) {
  std::vector<cudaGraphNode_t> nodes;
  if (choice > 0) {
    nodes = nodes_of(graph);
  }
  if (choice == 1 && nodes.size() > 1) {
    nodes.erase(nodes.begin(), nodes.end() - 1);
  }
  return nodes;
}

static cudaMemcpy3DParms rows() {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {memory().device[0][0], 64, 64, 2};
  copy.dstPtr = {memory().device[0][1], 64, 64, 2};
  copy.extent = {32, 2, 1};
  copy.kind = cudaMemcpyDeviceToDevice;
  return copy;
}

static cudaMemsetParams fill(int height) {
  cudaMemsetParams fill = {};
  fill.dst = memory().device[0][0];
  fill.elementSize = 1;
  fill.pitch = 64;
  fill.width = 32;
  fill.height = height;
  return fill;
}

static cudaError_t add_allocation(Objects &objects, int slot, cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after,
                                  cudaGraphNode_t *node) {
  cudaMemAllocNodeParams parameters = {};
  parameters.poolProps.allocType = cudaMemAllocationTypePinned;
  parameters.poolProps.location.type = cudaMemLocationTypeDevice;
  parameters.bytesize = 4096;
  cudaError_t code = cudaGraphAddMemAllocNode(node, graph, after.data(), after.size(), &parameters);
  if (code == cudaSuccess) {
    objects.allocated[slot] = parameters.dptr;
  }
  return code;
}

// `which` is the child's graph, the event, or the variable with the address.
static cudaError_t add(Objects &objects, Kind kind, int which, cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after) {
  cudaGraphNode_t node = nullptr;
  switch (kind) {
  case KERNEL: {
    cudaKernelNodeParams parameters = {};
    parameters.func = const_cast<void *>(kernel().symbol);
    parameters.gridDim = parameters.blockDim = dim3(1);
    return cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters);
  }
  case FILL:
  case FILL_ROWS: {
    cudaMemsetParams parameters = fill(kind == FILL ? 1 : 2);
    return cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters);
  }
  case HOST: {
    cudaHostNodeParams parameters = {do_nothing, nullptr};
    return cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters);
  }
  case CHILD:
    return cudaGraphAddChildGraphNode(&node, graph, after.data(), after.size(), objects.graphs[which]);
  case RECORD:
    return cudaGraphAddEventRecordNode(&node, graph, after.data(), after.size(), objects.events[which]);
  case WAIT:
    return cudaGraphAddEventWaitNode(&node, graph, after.data(), after.size(), objects.events[which]);
  case ALLOCATION:
    return add_allocation(objects, which, graph, after, &node);
  case FREE:
    return cudaGraphAddMemFreeNode(&node, graph, after.data(), after.size(), objects.allocated[which]);
  case CONDITIONAL:
    return add_conditional(graph, after, &node);
  case COPY:
    return cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), memory().device[0][1], memory().device[0][0], 64,
                                    cudaMemcpyDeviceToDevice);
  case COPY_ROWS: {
    cudaMemcpy3DParms parameters = rows();
    return cudaGraphAddMemcpyNode(&node, graph, after.data(), after.size(), &parameters);
  }
  default:
    return cudaGraphAddEmptyNode(&node, graph, after.data(), after.size());
  }
}

static int which_of(const Draw &draw, Kind kind) {
  switch (kind) {
  case CHILD:
    return (draw.graph + 1 + draw.variant % (GRAPHS - 1)) % GRAPHS;
  case RECORD:
  case WAIT:
    return draw.event;
  case ALLOCATION:
  case FREE:
    return draw.slot;
  default:
    return 0;
  }
}

// A graph as a node of itself crashes the driver (580.159.04).
static bool can_add(const Objects &objects, Kind kind, int which, cudaGraph_t graph) {
  if (kind == CHILD) {
    cudaGraph_t child = objects.graphs[which];
    return child && child != graph && !objects.is_captured_into(child);
  }
  return kind != FREE || objects.allocated[which];
}

static void tell_address(const Objects &objects, Kind kind, int which, cudaError_t code, Line &line) {
  if (kind == FREE || (kind == ALLOCATION && code == cudaSuccess)) {
    line.extra = std::to_string(reinterpret_cast<uintptr_t>(objects.allocated[which]));
  }
}

// a1 = kind + 16 × what to wait for + 64 × which.
static cudaError_t add_node(Objects &objects, const Draw &draw, Line &line, Kind kind) {
  int choice = draw.event % 3, which = which_of(draw, kind);
  line.a0 = draw.graph;
  line.a1 = kind + 16 * choice + 64 * which;
  cudaGraph_t graph = objects.graphs[draw.graph];
  if (!graph || !can_add(objects, kind, which, graph)) {
    return nothing(line);
  }
  cudaError_t code = add(objects, kind, which, graph, waited_for(graph, choice));
  tell_address(objects, kind, which, code, line);
  return code;
}

cudaError_t add_to_graph(Objects &objects, const Draw &draw, Line &line) {
  return add_node(objects, draw, line, static_cast<Kind>((draw.variant + 8 * (draw.mode % 2)) % KINDS));
}

// Adds mostly what limits the use of a graph.
cudaError_t add_what_limits(Objects &objects, const Draw &draw, Line &line) {
  static const Kind KINDS_DRAWN[] = {KERNEL, FILL_ROWS, CHILD, CHILD, ALLOCATION, FREE, FREE, CONDITIONAL};
  return add_node(objects, draw, line, KINDS_DRAWN[draw.variant]);
}

// Adds a conditional node and, in the graph that it runs, a node. a1 = kind + 64 × which, as above; the code is that of
// the last call made.
cudaError_t add_to_body(Objects &objects, const Draw &draw, Line &line) {
  Kind kind = static_cast<Kind>((draw.variant + 8 * (draw.mode % 2)) % KINDS);
  int which = which_of(draw, kind);
  line.a0 = draw.graph;
  line.a1 = kind + 64 * which;
  cudaGraph_t graph = objects.graphs[draw.graph];
  if (!graph || !can_add(objects, kind, which, graph)) {
    return nothing(line);
  }
  cudaGraphNode_t node = nullptr;
  cudaGraph_t body = nullptr;
  cudaError_t code = add_conditional(graph, {}, &node, &body);
  if (code == cudaSuccess) {
    code = add(objects, kind, which, body, {});
  }
  tell_address(objects, kind, which, code, line);
  return code;
}

// a1 = 0 the last node waits for the first, 1 the first for the last, 2 the first for itself.
cudaError_t link_nodes(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = draw.variant % 3;
  cudaGraph_t graph = objects.graphs[draw.graph];
  std::vector<cudaGraphNode_t> nodes;
  if (graph) {
    nodes = nodes_of(graph);
  }
  if (nodes.empty()) {
    return nothing(line);
  }
  return add_edge(graph, line.a1 == 1 ? nodes.back() : nodes.front(), line.a1 == 0 ? nodes.back() : nodes.front());
}

// a1 = 0 the first edge there is, by the places of its nodes, 1 one from the last node to the first.
cudaError_t unlink_nodes(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = draw.variant % 4 == 3;
  cudaGraph_t graph = objects.graphs[draw.graph];
  if (!graph) {
    return nothing(line);
  }
  std::vector<cudaGraphNode_t> nodes = nodes_of(graph);
  std::vector<Edge> edges = edges_of(graph);
  if (nodes.empty() || (line.a1 == 0 && edges.empty())) {
    return nothing(line);
  }
  if (line.a1 == 1) {
    return remove_edge(graph, nodes.back(), nodes.front());
  }
  return remove_edge(graph, nodes[edges[0].from], nodes[edges[0].to]);
}

// a1 = 0 the first node, 1 the last.
cudaError_t remove_node(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = draw.variant % 2;
  cudaGraph_t graph = objects.graphs[draw.graph];
  std::vector<cudaGraphNode_t> nodes;
  if (graph) {
    nodes = nodes_of(graph);
  }
  if (nodes.empty()) {
    return nothing(line);
  }
  return cudaGraphDestroyNode(line.a1 ? nodes.back() : nodes.front());
}

// a1 = the variable that gets the copy.
cudaError_t clone_graph(Objects &objects, const Draw &draw, Line &line) {
  line.a0 = draw.graph;
  line.a1 = (draw.graph + 1 + draw.variant % 2) % GRAPHS;
  if (!objects.graphs[draw.graph]) {
    return nothing(line);
  }
  cudaGraph_t clone = nullptr;
  cudaError_t code = cudaGraphClone(&clone, objects.graphs[draw.graph]);
  if (code == cudaSuccess) {
    objects.keep(line.a1, clone);
  }
  return code;
}
