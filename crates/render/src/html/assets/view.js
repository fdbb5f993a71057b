/// A graph as a picture: nodes as boxes, edges as lines. By stream, it is the course of the capture from left to right, a lane for
/// each stream; by order, a node stands to the right of all that it waits for.
class View {
  static LANE = 46;
  static BOX = 26;
  static LEFT = 150;
  static TOP = 14;
  /// How many pixels there are from node to node, at least, where edges are painted.
  static FINE = 4;

  constructor(graph, canvas, onChoose) {
    this.graph = graph;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.onChoose = onChoose;
    this.chosen = -1;
    this.found = new Uint8Array(graph.kind.length);
    this.asked = false;
    this.prepare();
    this.layOut("streams");
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => {
      this.readColours();
      this.draw();
    };
    this.scheme.addEventListener("change", this.onScheme);
    this.readColours();
    this.fit();
  }

  /// Lets go of the canvas.
  close() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
  }

  /// What follows from the graph alone: who waits for a node, and of which kind a node is.
  prepare() {
    const { kind, words, edges, ends } = this.graph;
    const count = kind.length;
    const waiting = new Uint32Array(count + 1);
    for (const from of edges) if (from < count) waiting[from + 1] += 1;
    for (let node = 0; node < count; node += 1) waiting[node + 1] += waiting[node];
    const next = waiting.slice();
    const dependents = new Uint32Array(edges.length);
    for (let node = 0; node < count; node += 1) {
      for (let edge = node > 0 ? ends[node - 1] : 0; edge < ends[node]; edge += 1) {
        if (edges[edge] < count) dependents[next[edges[edge]]++] = node;
      }
    }
    this.dependents = { waiting, dependents };
    this.family = Uint8Array.from(kind, (word) => {
      const name = words[word];
      if (name === "kernel") return 0;
      return name.startsWith("mem") ? 1 : 2;
    });
  }

  /// The nodes that a node waits for.
  before(node) {
    const { edges, ends } = this.graph;
    return edges.slice(node > 0 ? ends[node - 1] : 0, ends[node]);
  }

  /// The nodes that wait for a node.
  after(node) {
    const { waiting, dependents } = this.dependents;
    return Array.from(dependents.subarray(waiting[node], waiting[node + 1]));
  }

  layOut(way) {
    this.way = way;
    const count = this.graph.kind.length;
    this.x = new Float64Array(count);
    this.lane = new Uint32Array(count);
    this.eventX = new Float64Array(this.graph.events.length);
    if (way === "streams") this.byStream();
    else this.byOrder();
    this.sorted = Uint32Array.from(this.x.keys());
    if (way !== "streams") this.sorted.sort((one, other) => this.x[one] - this.x[other]);
    this.sortedX = Float64Array.from(this.sorted, (node) => this.x[node]);
  }

  byStream() {
    const { events, stream, streams } = this.graph;
    const byHand = streams.length;
    let event = 0;
    let place = 0;
    const upTo = (nodes) => {
      while (event < events.length && events[event].after <= nodes) this.eventX[event++] = place++;
    };
    for (let node = 0; node < this.x.length; node += 1) {
      upTo(node);
      this.x[node] = place++;
      this.lane[node] = stream[node] < 0 ? byHand : stream[node];
    }
    upTo(Infinity);
    this.width = place;
    this.lanes = streams.length + (stream.some((it) => it < 0) ? 1 : 0);
  }

  byOrder() {
    const depth = this.x;
    const filled = [];
    for (let node = 0; node < depth.length; node += 1) {
      for (const from of this.before(node)) {
        if (from < node) depth[node] = Math.max(depth[node], depth[from] + 1);
      }
      filled[depth[node]] = (filled[depth[node]] ?? -1) + 1;
      this.lane[node] = filled[depth[node]];
    }
    this.width = filled.length;
    this.lanes = filled.reduce((most, it) => Math.max(most, it + 1), 1);
  }

  readColours() {
    const probe = document.createElement("span");
    document.body.append(probe);
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const names = ["text", "quiet", "ground", "lane", "edge", "cross", "error", "accent", "good"];
    this.colours = Object.fromEntries(names.map((name) => [name, read(name)]));
    this.families = ["kernel", "memory", "other"].map(read);
    probe.remove();
    this.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.wide = this.canvas.clientWidth;
    this.high = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.wide * ratio);
    this.canvas.height = Math.round(this.high * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  /// Shows all of it: as high as its lanes need, within limits.
  fit() {
    const needed = this.way === "streams" ? this.lanes * View.LANE : Math.max(300, this.lanes * 8);
    this.canvas.style.height = `${Math.min(520, Math.max(120, needed + 2 * View.TOP + 24))}px`;
    this.resize();
    this.unit = Math.max(1e-6, Math.min(120, (this.wide - View.LEFT - 20) / Math.max(1, this.width)));
    this.row = this.way === "streams" ? View.LANE : Math.min(View.LANE, (this.high - 2 * View.TOP) / this.lanes);
    this.left = 0;
    this.top = 0;
    this.draw();
  }

  /// Zooms around a place of the picture, in pixels.
  zoom(factor, around) {
    const least = Math.min(1, (this.wide - View.LEFT) / Math.max(1, this.width)) / 2;
    const before = this.left + (around - View.LEFT) / this.unit;
    this.unit = Math.min(160, Math.max(least, this.unit * factor));
    if (this.way !== "streams") this.row = Math.min(View.LANE, Math.max(this.row * factor, 0.02));
    this.left = before - (around - View.LEFT) / this.unit;
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  px(x) {
    return View.LEFT + (x - this.left) * this.unit;
  }

  py(lane) {
    return View.TOP + lane * this.row - this.top + this.row / 2;
  }

  /// The first node, in the order of their places, at or behind a place.
  firstAt(x) {
    let low = 0;
    let high = this.sortedX.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sortedX[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  paint() {
    const { context, wide, high } = this;
    this.left = Math.min(Math.max(this.left, -2), Math.max(0, this.width - 1));
    this.top = Math.min(Math.max(this.top, 0), Math.max(0, this.lanes * this.row - high + 2 * View.TOP));
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, wide, high);
    context.font = this.font;
    context.textBaseline = "middle";
    if (this.way === "streams") this.paintLanes();
    context.save();
    context.beginPath();
    context.rect(View.LEFT - 12, 0, wide, high);
    context.clip();
    const first = this.firstAt(this.left - 1);
    const last = this.firstAt(this.left + (wide - View.LEFT) / this.unit + 1);
    if (this.unit >= View.FINE) this.paintEdges(first, last);
    this.paintNodes(first, last);
    if (this.way === "streams") this.paintEvents();
    context.restore();
  }

  paintLanes() {
    const { context } = this;
    for (let lane = 0; lane < this.lanes; lane += 1) {
      const y = this.py(lane);
      if (y < -View.LANE || y > this.high + View.LANE) continue;
      context.fillStyle = this.colours.lane;
      context.fillRect(0, y - this.row / 2 + 2, this.wide, this.row - 4);
      context.fillStyle = this.colours.text;
      const name = this.graph.streams[lane] ?? "added by hand";
      context.fillText(fitted(context, name, View.LEFT - 22), 8, lane === 0 ? y - 7 : y);
      if (lane === 0) {
        context.fillStyle = this.colours.quiet;
        context.fillText("origin stream", 8, y + 9);
      }
    }
  }

  paintEdges(first, last) {
    const { context } = this;
    const width = Math.min(View.BOX, this.unit * 0.7) / 2;
    const budget = 6000;
    let painted = 0;
    for (const across of [false, true]) {
      context.strokeStyle = across ? this.colours.cross : this.colours.edge;
      context.lineWidth = across ? 1.6 : 1;
      context.beginPath();
      for (let at = first; at < last && painted < budget; at += 1) {
        const node = this.sorted[at];
        for (const from of this.before(node)) {
          if ((this.graph.stream[from] !== this.graph.stream[node]) !== across) continue;
          painted += 1;
          const [x1, y1, x2, y2] = [this.px(this.x[from]), this.py(this.lane[from]), this.px(this.x[node]), this.py(this.lane[node])];
          context.moveTo(x1 + width, y1);
          if (y1 === y2 && this.way === "streams") context.lineTo(x2 - width, y2);
          else context.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2 - width, y2);
        }
      }
      context.stroke();
    }
  }

  paintNodes(first, last) {
    const { context, x, lane, found } = this;
    const size = Math.max(1, Math.min(this.unit * 0.8, 150));
    const height = Math.max(1, Math.min(View.BOX, this.row * 0.8));
    // Of the nodes that share a pixel, one is painted for each row.
    const apart = this.unit < 2 ? 1 : 0;
    const painted = new Float64Array(this.lanes).fill(-Infinity);
    let family = -1;
    for (let at = first; at < last; at += 1) {
      const node = this.sorted[at];
      const middle = this.px(x[node]);
      const isMarked = found[node] === 1 || node === this.chosen;
      if (middle - painted[lane[node]] < apart && !isMarked) continue;
      painted[lane[node]] = middle;
      const y = this.py(lane[node]);
      if (y < -height || y > this.high + height) continue;
      if (family !== this.family[node]) {
        family = this.family[node];
        context.fillStyle = this.families[family];
      }
      context.fillRect(middle - size / 2, y - height / 2, size, height);
      if (isMarked) this.mark(node, middle, y, size, height);
      if (size >= 44 && height >= 14) {
        context.fillStyle = this.colours.ground;
        context.textAlign = "center";
        context.fillText(fitted(context, this.short(node), size - 8), middle, y);
        context.textAlign = "start";
        family = -1;
      }
    }
  }

  mark(node, x, y, size, height) {
    const { context } = this;
    const wide = Math.max(size, 3);
    context.strokeStyle = node === this.chosen ? this.colours.text : this.colours.error;
    context.lineWidth = node === this.chosen ? 3 : 2;
    context.strokeRect(x - wide / 2 - 2, y - height / 2 - 2, wide + 4, height + 4);
  }

  paintEvents() {
    const { context, graph } = this;
    const first = graph.events.findIndex((event) => event.kind === "refused");
    graph.events.forEach((event, index) => {
      const x = this.px(this.eventX[index]);
      const isWait = event.waits >= 0;
      if (x < View.LEFT - 20 || x > this.wide + 20 || (isWait && this.unit < View.FINE)) return;
      const y = event.stream >= 0 ? this.py(event.stream) : this.py(0);
      if (isWait) this.arrow(x, this.py(event.waits), y);
      else if (event.kind === "refused" || event.kind === "exception") this.cross(x, y, index === first ? event.text : "");
      else {
        context.fillStyle = this.colours.good;
        context.beginPath();
        const way = event.kind === "begin" ? 6 : -6;
        context.moveTo(x - way, y - 8);
        context.lineTo(x + way, y);
        context.lineTo(x - way, y + 8);
        context.fill();
      }
    });
  }

  /// A stream waits for another.
  arrow(x, from, to) {
    const { context } = this;
    const way = Math.sign(to - from) || 1;
    context.strokeStyle = this.colours.cross;
    context.fillStyle = this.colours.cross;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to - way * 6);
    context.stroke();
    context.beginPath();
    context.moveTo(x - 4, to - way * 8);
    context.lineTo(x + 4, to - way * 8);
    context.lineTo(x, to);
    context.fill();
  }

  /// Something was refused; of the first, it is said what.
  cross(x, y, text) {
    const { context } = this;
    context.strokeStyle = this.colours.error;
    if (text) {
      context.lineWidth = 1;
      context.setLineDash([4, 4]);
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.high);
      context.stroke();
      context.setLineDash([]);
    }
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(x - 6, y - 6);
    context.lineTo(x + 6, y + 6);
    context.moveTo(x + 6, y - 6);
    context.lineTo(x - 6, y + 6);
    context.stroke();
    if (text) {
      context.fillStyle = this.colours.error;
      const isLeft = x > this.wide * 0.6;
      context.textAlign = isLeft ? "end" : "start";
      const room = isLeft ? x - View.LEFT : this.wide - x - 16;
      context.fillText(fitted(context, text, room - 16), isLeft ? x - 8 : x + 8, this.high - 12);
      context.textAlign = "start";
    }
  }

  short(node) {
    const { words, operator, kind } = this.graph;
    return words[operator[node]] ?? words[kind[node]];
  }

  wheel(event) {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.left += (event.deltaX || event.deltaY) / this.unit;
      this.draw();
      return;
    }
    const around = event.clientX - this.canvas.getBoundingClientRect().left;
    this.zoom(Math.exp(-event.deltaY / 400), Math.max(View.LEFT, around));
  }

  grab(event) {
    const { clientX, clientY } = event;
    const { left, top } = this;
    let moved = false;
    const move = (now) => {
      moved ||= Math.hypot(now.clientX - clientX, now.clientY - clientY) > 4;
      this.left = left - (now.clientX - clientX) / this.unit;
      this.top = top - (now.clientY - clientY);
      this.draw();
    };
    const release = () => {
      this.canvas.removeEventListener("pointermove", move);
      if (!moved) this.pick(event);
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", release, { once: true });
    this.canvas.addEventListener("pointercancel", release, { once: true });
  }

  /// Chooses the node nearest to where the mouse was clicked.
  pick(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const reach = Math.max(14, this.unit) / this.unit;
    const at = this.left + (x - View.LEFT) / this.unit;
    let best = -1;
    let nearest = Infinity;
    for (let it = this.firstAt(at - reach); it < this.sorted.length && this.sortedX[it] <= at + reach; it += 1) {
      const node = this.sorted[it];
      const away = Math.hypot((this.x[node] - at) * this.unit, this.py(this.lane[node]) - y);
      if (away < nearest) [best, nearest] = [node, away];
    }
    if (best >= 0 && nearest < 60) this.choose(best, true);
  }

  key(event) {
    const last = this.graph.kind.length - 1;
    const from = this.chosen;
    const moves = {
      ArrowRight: () => this.choose(Math.min(last, from + 1), true),
      ArrowLeft: () => this.choose(Math.max(0, from - 1), true),
      ArrowUp: () => from >= 0 && this.before(from).length > 0 && this.choose(this.before(from)[0], true),
      ArrowDown: () => from >= 0 && this.after(from).length > 0 && this.choose(this.after(from)[0], true),
      Home: () => this.choose(0, true),
      End: () => this.choose(last, true),
      "+": () => this.zoom(1.5, this.centre()),
      "=": () => this.zoom(1.5, this.centre()),
      "-": () => this.zoom(1 / 1.5, this.centre()),
      0: () => this.fit(),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (last >= 0) move();
  }

  /// Where to zoom: at the node that is chosen, or in the middle.
  centre() {
    const x = this.chosen >= 0 ? this.px(this.x[this.chosen]) : this.wide / 2;
    return Math.min(Math.max(x, View.LEFT), this.wide);
  }

  /// Chooses a node and brings it into sight.
  choose(node, tell) {
    this.chosen = node;
    if (node >= 0) {
      const [x, y] = [this.px(this.x[node]), this.py(this.lane[node])];
      if (x < View.LEFT + 20 || x > this.wide - 40) this.left = this.x[node] - (this.wide - View.LEFT) / this.unit / 2;
      if (y < View.TOP || y > this.high - View.TOP) this.top += y - this.high / 2;
    }
    this.draw();
    if (tell && node >= 0) this.onChoose(node);
  }
}

/// A text cut to a width in pixels.
function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${text.slice(0, low)}…`;
}
