/// An element with attributes and children; strings become text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/// A time in words, with three digits.
function inWords(nanoseconds) {
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => nanoseconds >= size) ?? ["ns", 1];
  return `${(nanoseconds / size).toPrecision(3)} ${unit}`;
}

const WORDS = {
  host: "work of the host",
  gpu: "waiting for the GPU",
  copy: "copies that wait",
  collective: "collectives",
  launch: "launches of graphs",
};

/// The picture with what belongs to it.
class Page {
  constructor(data, place) {
    this.data = data;
    this.cells = new Cells(data);
    this.late = this.latest();
    place.hidden = false;
    const steps = `${data.ranks.length} ranks by ${data.steps.length} columns of steps. Arrow keys go from cell to cell.`;
    const canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": steps });
    this.chosen = element("div", { class: "chosen", role: "status" }, element("p", { class: "quiet" },
      "Click a cell, or use the arrow keys; Home, End, Page Up and Page Down go further. + and − zoom, 0 shows all; so do the wheel and dragging. Of cells that share a pixel, the most remarkable is shown."));
    const button = (text, label, act) => {
      const made = element("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const select = (label, choices, act) => {
      const made = element("select", {}, ...choices.map(([value, text]) => element("option", { value }, text)));
      made.addEventListener("change", () => act(made.value));
      return element("label", {}, label, made);
    };
    this.filter = element("input", { type: "search", "aria-label": "Show ranks, hosts and findings with these words", placeholder: "Rank, host or finding" });
    this.filter.addEventListener("input", () => this.arrange());
    this.sorted = "rank";
    this.count = element("output", { class: "quiet" });
    place.append(
      element("div", { class: "tools" },
        select("Colours: ", [["spent", "what it waited for"], ["lasted", "how long it took"], ["late", "who was late"]], (what) => this.view.show(what)),
        select("Order: ", [["rank", "by rank"], ["host", "by host"], ["late", "the latest first"]], (order) => {
          this.sorted = order;
          this.arrange();
        }),
        button("+", "Zoom in", () => this.view.zoom(1.5)),
        button("−", "Zoom out", () => this.view.zoom(1 / 1.5)),
        button("All", "Show all of it", () => this.view.fit()),
        button("Next late one", "Go to the next of the latest steps", () => this.next()),
        this.filter, this.count),
      element("div", { class: "canvas" }, canvas),
      element("p", { class: "key" },
        ...data.on.map((name) => element("span", { class: `k-${name}` }, `${LETTERS[name]}: ${WORDS[name]}`)),
        element("span", { class: "k-open" }, "…: not seen to end")),
      element("p", { class: "quiet" }, "The stronger the colour, the longer the step, beside the median of all."),
      this.chosen);
    this.view = new View(data, this.cells, canvas, (row, column) => this.describe(row, column));
  }

  /// The cells of the latest steps, the latest first.
  latest() {
    const { late } = this.cells;
    const all = [];
    for (let cell = 0; cell < late.length; cell += 1) if (late[cell] > 0) all.push(cell);
    return all.sort((one, other) => late[other] - late[one]).slice(0, 1000);
  }

  /// Shows the rows that have the words of the field, in the order that was chosen.
  arrange() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { ranks, hosts, findings } = this.data;
    const has = (row) => {
      const text = `${ranks[row]} ${hosts[row]} ${findings[row]}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const rows = ranks.map((_, row) => row).filter(has);
    const { late, columns } = this.cells;
    const most = (row) => late.subarray(row * columns, (row + 1) * columns).reduce((sum, it) => sum + Cells.time(it), 0);
    if (this.sorted === "host") rows.sort((one, other) => hosts[one].localeCompare(hosts[other], undefined, { numeric: true }) || one - other);
    if (this.sorted === "late") {
      const sums = new Map(rows.map((row) => [row, most(row)]));
      rows.sort((one, other) => sums.get(other) - sums.get(one) || one - other);
    }
    this.count.value = words.length > 0 ? `${rows.length} of ${ranks.length}` : "";
    this.view.arrange(Int32Array.from(rows));
  }

  /// Goes to the latest cell in sight of the filter that was not gone to yet.
  next() {
    const { columns } = this.cells;
    for (let turn = 0; turn < this.late.length; turn += 1) {
      this.turn = ((this.turn ?? -1) + 1) % this.late.length;
      const cell = this.late[this.turn];
      const row = this.view.order.indexOf(Math.floor(cell / columns));
      if (row >= 0) {
        this.view.choose(row, cell % columns);
        return;
      }
    }
  }

  /// Says what a cell is, in words.
  describe(row, column) {
    const { data, cells } = this;
    const cell = row * cells.columns + column;
    const step = data.steps[column] + cells.offset[cell];
    const who = [data.ranks[row], data.hosts[row] && `on ${data.hosts[row]}`].filter(Boolean).join(" ");
    const lines = [`${who}, step ${step}`];
    if (cells.is(cell)) {
      const place = data.places[cells.place[cell]];
      const share = Math.round(cells.share[cell] / 2.55);
      const lasted = inWords(Cells.time(cells.lasted[cell]));
      lines[0] += cells.isOver(cell) ? `: ${lasted}` : `: not seen to end after ${lasted}`;
      lines.push(`${share} % of it: ${WORDS[data.on[cells.on(cell)]]}${place ? `; it waited longest at ${place}` : ""}`);
      if (cells.late[cell] > 0) lines.push(`${inWords(Cells.time(cells.late[cell]))} more work of its own than the median of the ranks`);
    } else {
      lines.push("not recorded");
    }
    if (data.findings[row]) lines.push(`found in it: ${data.findings[row]}`);
    this.chosen.replaceChildren(...lines.map((line) => element("p", {}, line)));
  }
}

new Page(JSON.parse(document.getElementById("fleet-data").textContent), document.getElementById("fleet"));
