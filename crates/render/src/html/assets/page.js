/// An element with attributes and children; strings become text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/// Shows the findings that have the words of the field.
function filterFindings() {
  const field = document.getElementById("finding-filter");
  if (!field) return;
  const findings = [...document.querySelectorAll("article.finding")];
  const texts = findings.map((it) => it.textContent.toLowerCase());
  field.closest("p").hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    findings.forEach((finding, index) => {
      finding.hidden = !words.every((word) => texts[index].includes(word));
      document.querySelector(`.list a[href="#${finding.id}"]`).closest("li").hidden = finding.hidden;
      count += finding.hidden ? 0 : 1;
    });
    document.getElementById("finding-count").value = `${count} of ${findings.length}`;
  });
}

/// The picture of one graph with what belongs to it.
class Graphs {
  constructor(graphs, place) {
    this.graphs = graphs;
    this.place = place;
    this.view = null;
    addEventListener("hashchange", () => this.follow(true));
    document.querySelectorAll("a.show").forEach((link) => {
      link.addEventListener("click", () => this.show(Number(link.dataset.graph), true));
    });
    this.follow(false);
    if (!this.view) {
      const first = graphs.findIndex((it) => it && it.outcome !== "captured");
      const drawn = first >= 0 ? first : graphs.findIndex(Boolean);
      if (drawn >= 0) this.show(drawn, false);
    }
  }

  /// Shows the graph that the address names.
  follow(focus) {
    const asked = /^#graph-(\d+)$/.exec(location.hash);
    if (asked) this.show(Number(asked[1]) - 1, focus);
  }

  show(index, focus) {
    const graph = this.graphs[index];
    if (!graph) return;
    document.querySelectorAll("tr.shown").forEach((row) => row.classList.remove("shown"));
    document.getElementById(`graph-${index + 1}`)?.classList.add("shown");
    if (this.shown !== index) {
      this.shown = index;
      this.view?.close();
      this.place.replaceChildren();
      this.place.hidden = false;
      this.fill(graph);
    }
    if (focus) this.canvas.focus();
  }

  fill(graph) {
    const count = graph.kind.length;
    this.graph = graph;
    this.canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": described(graph) });
    this.chosen = element("div", { class: "chosen", role: "status" }, howTo());
    this.search = element("input", { type: "search", "aria-label": "Search nodes", placeholder: "Search nodes" });
    this.result = element("output", { class: "quiet" });
    const button = (text, label, act) => {
      const made = element("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const ways = [["streams", "By stream"], ["order", "By order"]].map(([way, text]) => {
      const made = button(text, text, () => {
        this.view.layOut(way);
        this.view.fit();
        ways.forEach((it) => it.setAttribute("aria-pressed", String(it === made)));
      });
      made.setAttribute("aria-pressed", String(way === "streams"));
      return made;
    });
    this.place.append(
      element("div", { class: "tools" }, element("h3", {}, graph.title), ...ways,
        button("+", "Zoom in", () => this.view.zoom(1.5, this.view.centre())),
        button("−", "Zoom out", () => this.view.zoom(1 / 1.5, this.view.centre())),
        button("All", "Show all of it", () => this.view.fit()),
        this.search, button("Next", "Next node that was found", () => this.next()), this.result),
      element("div", { class: "canvas" }, this.canvas), key(), this.chosen);
    this.view = new View(graph, this.canvas, (node) => this.choose(node));
    this.listed = null;
    this.nodes = new Rows("nodes", "Nodes", count, (row) => this.cells(this.node(row)), () => "", (row) => {
      this.view.choose(this.node(row), false);
      this.describe(this.node(row));
    });
    const events = new Rows("events", "What happened", graph.events.length, (row) => {
      const event = graph.events[row];
      return [event.kind, event.text, graph.places[event.place] ?? ""];
    }, (row) => graph.events[row].kind, (row) => this.view.choose(Math.min(count - 1, graph.events[row].after), false));
    this.place.append(element("h4", {}, "What happened"), events.element);
    if (count > 0) this.place.append(element("h4", {}, "Nodes"), this.nodes.element);
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next();
    });
  }

  /// The node of a row: of those that were found, or of all.
  node(row) {
    return this.listed ? this.listed[row] : row;
  }

  cells(node) {
    const { graph } = this;
    return [
      `node ${node}`,
      graph.words[graph.kind[node]],
      graph.words[graph.operator[node]] ?? "",
      graph.places[graph.place[node]] ?? "",
      graph.words[graph.name[node]] ?? "",
    ];
  }

  /// Marks the nodes whose texts have all words, and lists them alone.
  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.view.found.fill(0);
    this.listed = null;
    if (words.length > 0) {
      // Words are looked up once for each text, not for each node.
      const known = new Map();
      const has = (text) => {
        if (text === undefined) return 0;
        if (!known.has(text)) {
          const low = text.toLowerCase();
          known.set(text, words.reduce((all, word, bit) => all | (low.includes(word) ? 1 << bit : 0), 0));
        }
        return known.get(text);
      };
      const all = 2 ** Math.min(words.length, 30) - 1;
      const { graph } = this;
      this.listed = [];
      for (let node = 0; node < found.length; node += 1) {
        const bits = has(graph.words[graph.kind[node]]) | has(graph.words[graph.operator[node]])
          | has(graph.words[graph.name[node]]) | has(graph.places[graph.place[node]]) | has(graph.streams[graph.stream[node]]);
        if (bits === all) {
          found[node] = 1;
          this.listed.push(node);
        }
      }
    }
    this.result.value = this.listed ? `${this.listed.length} found` : "";
    this.nodes.resize(this.listed ? this.listed.length : found.length);
    this.view.draw();
  }

  /// Goes to the next node that was found.
  next() {
    if (!this.listed || this.listed.length === 0) return;
    const next = this.listed.find((node) => node > this.view.chosen) ?? this.listed[0];
    this.view.choose(next, true);
  }

  choose(node) {
    const row = this.listed ? this.listed.indexOf(node) : node;
    this.nodes.choose(row, false);
    this.describe(node);
  }

  /// Says what a node is, in words.
  describe(node) {
    const { graph, view } = this;
    const [name, kind, operator, place, kernel] = this.cells(node);
    const lines = [
      [`${name}: ${kind}`, operator && `of ${operator}`, graph.streams[graph.stream[node]] ?? "added by hand", place].filter(Boolean).join(", "),
      [listed("waits for", view.before(node)), listed("is waited for by", view.after(node))].filter(Boolean).join("; "),
    ];
    this.chosen.replaceChildren(...lines.filter(Boolean).map((line) => element("p", {}, line)));
    if (kernel) this.chosen.append(element("p", { class: "kernel" }, kernel));
  }
}

/// Nodes as part of a sentence.
function listed(words, nodes) {
  if (nodes.length === 0) return "";
  const few = nodes.slice(0, 12).join(", ");
  return `${words} ${few}${nodes.length > 12 ? ` and ${nodes.length - 12} more` : ""}`;
}

function described(graph) {
  return `${graph.title}: ${graph.kind.length} nodes on ${graph.streams.length} streams. Arrow keys go from node to node.`;
}

function howTo() {
  return element("p", { class: "quiet" }, "Click a node, or use the arrow keys: left and right in the order of capture, up and down along edges. + and − zoom, 0 shows all; so do the wheel and dragging.");
}

function key() {
  const names = [["k-kernel", "kernel"], ["k-memory", "copy, fill, allocation"], ["k-other", "other node"], ["k-cross", "wait between streams"], ["k-refused", "refused call"]];
  return element("p", { class: "key" }, ...names.map(([name, text]) => element("span", { class: name }, text)));
}

filterFindings();
const kept = document.getElementById("graph-data");
if (kept) new Graphs(JSON.parse(kept.textContent).graphs, document.getElementById("view"));
