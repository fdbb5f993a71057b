"use strict";

const LETTERS = { host: "H", gpu: "G", copy: "M", collective: "C", launch: "L" };

/// The bytes behind a text in base 64.
function bytesOf(text) {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

function wordsOf(text) {
  const bytes = bytesOf(text);
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, index) => view.getUint16(2 * index, true));
}

/// The cells: numbers by row and column.
class Cells {
  static NONE = 255;
  static NOT_OVER = 128;
  static NOWHERE = 65535;

  constructor(data) {
    this.columns = data.steps.length;
    this.rows = data.ranks.length;
    this.spent = bytesOf(data.spent);
    this.share = bytesOf(data.share);
    for (const name of ["offset", "lasted", "late", "place"]) this[name] = wordsOf(data[name]);
  }

  is(cell) {
    return this.spent[cell] !== Cells.NONE;
  }

  isOver(cell) {
    return (this.spent[cell] & Cells.NOT_OVER) === 0;
  }

  on(cell) {
    return this.spent[cell] & 127;
  }

  /// A short number as nanoseconds.
  static time(short) {
    return short === 0 ? 0 : 2 ** ((short - 1) / 256);
  }

  /// The median of what a cell has, of those that have a step; as it is kept.
  median(of) {
    const all = of.filter((_, cell) => this.is(cell)).sort();
    return all.length > 0 ? all[all.length >> 1] : 0;
  }
}

/// The picture: a rectangle for each cell, or the most remarkable of those that share a pixel.
class View {
  static LEFT = 130;
  static TOP = 24;
  static LEVELS = 16;

  constructor(data, cells, canvas, onChoose) {
    this.data = data;
    this.cells = cells;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.onChoose = onChoose;
    this.order = Int32Array.from({ length: cells.rows }, (_, row) => row);
    // The row and the column that are chosen, by place in the picture.
    this.chosen = null;
    this.usual = cells.median(cells.lasted);
    this.level = new Uint8Array(cells.spent.length);
    this.weight = new Uint16Array(cells.spent.length);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show(this.what));
    this.show("spent");
    this.resize();
    this.fit();
  }

  /// Colours by what was waited for, by how long steps took, or by who was late.
  show(what) {
    this.what = what;
    const { cells } = this;
    const top = View.LEVELS - 1;
    // 256 is twice as long as the median, 1024 sixteen times.
    const level = (more) => Math.max(0, Math.min(top, Math.round((more / 1024) * top)));
    for (let cell = 0; cell < this.level.length; cell += 1) {
      const long = level(cells.lasted[cell] - this.usual + 256);
      const late = cells.late[cell] === 0 ? 0 : level(cells.late[cell] - this.usual + 1024);
      this.level[cell] = what === "late" ? late : long;
      // Late ranks come first: all of a job take as long as the last one.
      this.weight[cell] = cells.isOver(cell) ? 1 + late * View.LEVELS + long : 65535;
      if (!cells.is(cell)) this.weight[cell] = 0;
    }
    this.readColours();
    this.draw();
  }

  readColours() {
    const probe = document.createElement("span");
    document.body.append(probe);
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
    };
    const ground = read("ground");
    const packed = ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red;
    const between = (colour, part) => colour.map((it, index) => Math.round(ground[index] + (it - ground[index]) * part));
    this.colours = Object.fromEntries(["text", "quiet", "ground", "accent", "lane"].map((name) => [name, `rgb(${read(name)})`]));
    this.ground = packed(ground);
    this.open = packed(read("error"));
    this.palette = this.data.on.map((name) => {
      const colour = read(this.what === "spent" ? `on-${name}` : this.what === "late" ? "on-collective" : "text");
      const least = this.what === "spent" ? 0.35 : 0.06;
      return Uint32Array.from({ length: View.LEVELS }, (_, level) => packed(between(colour, least + ((1 - least) * level) / (View.LEVELS - 1))));
    });
    probe.remove();
    this.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  }

  resize() {
    this.ratio = devicePixelRatio || 1;
    this.wide = this.canvas.clientWidth;
    this.high = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.wide * this.ratio);
    this.canvas.height = Math.round(this.high * this.ratio);
    this.settle();
    this.draw();
  }

  /// Shows all of it.
  fit() {
    this.x = 0;
    this.y = 0;
    this.sizeX = this.least("x");
    this.sizeY = this.least("y");
    this.draw();
  }

  /// The least size of a cell, at which all of it is in sight.
  least(axis) {
    const [room, count] = axis === "x" ? [this.wide - View.LEFT, this.cells.columns] : [this.high - View.TOP, this.order.length];
    return Math.min(40, Math.max(1, room) / Math.max(1, count));
  }

  /// Keeps the picture in its frame.
  settle() {
    if (this.sizeX === undefined) return;
    this.sizeX = Math.min(40, Math.max(this.least("x"), this.sizeX));
    this.sizeY = Math.min(40, Math.max(this.least("y"), this.sizeY));
    const inside = (from, room, size, count) => Math.max(0, Math.min(from, count - room / size));
    this.x = inside(this.x, this.wide - View.LEFT, this.sizeX, this.cells.columns);
    this.y = inside(this.y, this.high - View.TOP, this.sizeY, this.order.length);
  }

  zoom(by, at = { x: (this.wide + View.LEFT) / 2, y: (this.high + View.TOP) / 2 }) {
    const column = this.x + (at.x - View.LEFT) / this.sizeX;
    const row = this.y + (at.y - View.TOP) / this.sizeY;
    this.sizeX *= by;
    this.sizeY *= by;
    this.settle();
    this.x = column - (at.x - View.LEFT) / this.sizeX;
    this.y = row - (at.y - View.TOP) / this.sizeY;
    this.settle();
    this.draw();
  }

  /// Shows these rows, in this order.
  arrange(order) {
    const row = this.chosen && this.order[this.chosen.row];
    this.order = order;
    const place = this.chosen ? order.indexOf(row) : -1;
    this.chosen = place < 0 ? null : { row: place, column: this.chosen.column };
    this.fit();
  }

  draw() {
    if (this.asked || this.sizeX === undefined) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  paint() {
    const { context, ratio } = this;
    const left = Math.round(View.LEFT * ratio);
    const top = Math.round(View.TOP * ratio);
    const wide = this.canvas.width - left;
    const high = this.canvas.height - top;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (wide <= 0 || high <= 0) return;
    this.paintCells(left, top, wide, high);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paintText();
  }

  paintCells(left, top, wide, high) {
    const { cells, level, weight, palette, order } = this;
    const columns = this.spans(wide, this.x, this.sizeX * this.ratio, cells.columns);
    const rows = this.spans(high, this.y, this.sizeY * this.ratio, order.length);
    const image = this.context.createImageData(wide, high);
    const pixels = new Uint32Array(image.data.buffer);
    const line = new Uint32Array(wide);
    let before = -1;
    for (let y = 0; y < high; y += 1) {
      const [from, to] = [rows[2 * y], rows[2 * y + 1]];
      // Where rows are higher than a pixel, the line above is the same.
      if (from !== before || to > from + 1) {
        before = to === from + 1 ? from : -1;
        for (let x = 0; x < wide; x += 1) {
          let most = 0;
          let colour = this.ground;
          for (let row = from; row < to; row += 1) {
            const start = order[row] * cells.columns;
            for (let cell = start + columns[2 * x]; cell < start + columns[2 * x + 1]; cell += 1) {
              if (weight[cell] <= most) continue;
              most = weight[cell];
              colour = most === 65535 ? this.open : palette[cells.spent[cell]][level[cell]];
            }
          }
          line[x] = colour;
        }
      }
      pixels.set(line, y * wide);
    }
    this.context.putImageData(image, left, top);
  }

  /// For each pixel, the first cell that it shows, and the one behind the last.
  spans(pixels, first, size, count) {
    const spans = new Int32Array(2 * pixels);
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const from = Math.floor(first + pixel / size);
      spans[2 * pixel] = Math.min(count, from);
      spans[2 * pixel + 1] = Math.min(count, Math.max(from + 1, Math.floor(first + (pixel + 1) / size)));
    }
    return spans;
  }

  paintText() {
    const { context, data, cells } = this;
    context.font = this.font;
    context.textBaseline = "middle";
    context.fillStyle = this.colours.quiet;
    const eachRow = Math.max(1, Math.ceil(15 / this.sizeY));
    const lastRow = Math.min(this.order.length, Math.ceil(this.y + (this.high - View.TOP) / this.sizeY));
    for (let row = Math.ceil(this.y / eachRow) * eachRow; row < lastRow; row += eachRow) {
      const y = View.TOP + (row + 0.5 - this.y) * this.sizeY;
      if (y > View.TOP + 4) context.fillText(data.ranks[this.order[row]].slice(0, 18), 4, y, View.LEFT - 10);
    }
    const eachColumn = Math.max(1, Math.ceil(60 / this.sizeX));
    const lastColumn = Math.min(cells.columns, Math.ceil(this.x + (this.wide - View.LEFT) / this.sizeX));
    for (let column = Math.ceil(this.x / eachColumn) * eachColumn; column < lastColumn; column += eachColumn) {
      context.fillText(String(data.steps[column]), View.LEFT + (column - this.x) * this.sizeX, View.TOP / 2);
    }
    if (this.sizeX >= 14 && this.sizeY >= 14 && this.what === "spent") this.paintLetters(lastRow, lastColumn);
    if (this.chosen) {
      const x = View.LEFT + (this.chosen.column - this.x) * this.sizeX;
      const y = View.TOP + (this.chosen.row - this.y) * this.sizeY;
      context.strokeStyle = this.colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x - 2, y - 2, Math.max(4, this.sizeX) + 3, Math.max(4, this.sizeY) + 3);
    }
  }

  /// The letter of what a cell was spent on, for those who do not see its colour.
  paintLetters(lastRow, lastColumn) {
    const { context, cells } = this;
    context.textAlign = "center";
    context.fillStyle = this.colours.text;
    for (let row = Math.floor(this.y); row < lastRow; row += 1) {
      for (let column = Math.floor(this.x); column < lastColumn; column += 1) {
        const cell = this.order[row] * cells.columns + column;
        if (!cells.is(cell)) continue;
        const letter = cells.isOver(cell) ? LETTERS[this.data.on[cells.on(cell)]] : "…";
        const x = View.LEFT + (column + 0.5 - this.x) * this.sizeX;
        const y = View.TOP + (row + 0.5 - this.y) * this.sizeY;
        if (x > View.LEFT && y > View.TOP) context.fillText(letter, x, y);
      }
    }
    context.textAlign = "start";
  }

  /// Chooses a cell and brings it into sight.
  choose(row, column) {
    if (this.order.length === 0 || this.cells.columns === 0) return;
    row = Math.max(0, Math.min(this.order.length - 1, row));
    column = Math.max(0, Math.min(this.cells.columns - 1, column));
    this.chosen = { row, column };
    const into = (from, at, room, size) => Math.max(Math.min(from, at), at + 1 - room / size);
    this.x = into(this.x, column, this.wide - View.LEFT, this.sizeX);
    this.y = into(this.y, row, this.high - View.TOP, this.sizeY);
    this.settle();
    this.draw();
    this.onChoose(this.order[row], column);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(2 ** (-event.deltaY / 300), this.place(event));
  }

  grab(event) {
    const start = this.place(event);
    const from = { x: this.x, y: this.y };
    let moved = false;
    this.canvas.setPointerCapture(event.pointerId);
    const move = (other) => {
      const now = this.place(other);
      moved ||= Math.hypot(now.x - start.x, now.y - start.y) > 4;
      if (!moved) return;
      this.x = from.x - (now.x - start.x) / this.sizeX;
      this.y = from.y - (now.y - start.y) / this.sizeY;
      this.settle();
      this.draw();
    };
    const end = () => {
      this.canvas.removeEventListener("pointermove", move);
      const row = Math.floor(this.y + (start.y - View.TOP) / this.sizeY);
      const column = Math.floor(this.x + (start.x - View.LEFT) / this.sizeX);
      if (!moved && start.x >= View.LEFT && start.y >= View.TOP) this.choose(row, column);
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", end, { once: true });
  }

  key(event) {
    const page = Math.max(1, Math.floor((this.high - View.TOP) / this.sizeY) - 1);
    const { row, column } = this.chosen ?? { row: 0, column: 0 };
    const moves = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-page, 0], PageDown: [page, 0], Home: [0, -Infinity], End: [0, Infinity],
    };
    const move = moves[event.key];
    if (move) this.choose(this.chosen ? row + move[0] : row, this.chosen ? column + move[1] : column);
    else if (event.key === "+") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}
