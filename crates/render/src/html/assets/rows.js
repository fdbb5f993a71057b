"use strict";

/// A list of any length, of which only the rows in sight are in the document. Rows are chosen with the mouse, the arrow keys,
/// Home and End; `onChoose` is given the index.
class Rows {
  /// Where rows are narrow, in the style as well, they have three lines.
  static NARROW = matchMedia("(max-width: 40rem)");
  static MARGIN = 10;

  static get HEIGHT() {
    return Rows.NARROW.matches ? 68 : 28;
  }

  /// `cells(index)` gives the texts of a row, `classOf(index)` a class for it.
  constructor(name, label, count, cells, classOf, onChoose) {
    this.cells = cells;
    this.classOf = classOf;
    this.onChoose = onChoose;
    this.chosen = -1;
    this.known = new Map();
    this.element = document.createElement("div");
    this.element.className = `rows ${name}`;
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "listbox");
    this.element.setAttribute("aria-label", label);
    this.all = document.createElement("div");
    this.all.className = "all";
    this.element.append(this.all);
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(Number(row.dataset.index), true);
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
    Rows.NARROW.addEventListener("change", () => this.resize(this.count));
    this.name = name;
    this.resize(count);
  }

  /// There is another number of rows, with other contents.
  resize(count) {
    this.count = count;
    this.all.style.height = `${count * Rows.HEIGHT}px`;
    this.element.style.height = `${Math.min(10.5, Math.max(1, count)) * Rows.HEIGHT + 2}px`;
    for (const row of this.known.values()) row.remove();
    this.known.clear();
    this.chosen = -1;
    this.element.scrollTop = 0;
    this.draw();
  }

  draw() {
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / Rows.HEIGHT) - Rows.MARGIN);
    const height = this.element.clientHeight;
    const last = Math.min(this.count - 1, Math.ceil((top + height) / Rows.HEIGHT) + Rows.MARGIN);
    for (const [index, row] of this.known) {
      if (index < first || index > last) {
        row.remove();
        this.known.delete(index);
      }
    }
    for (let index = first; index <= last; index += 1) {
      if (!this.known.has(index)) this.known.set(index, this.row(index));
    }
  }

  row(index) {
    const row = document.createElement("div");
    row.className = `row ${this.classOf(index)}`;
    row.id = `${this.name}-${index}`;
    row.dataset.index = String(index);
    row.setAttribute("role", "option");
    row.setAttribute("aria-posinset", String(index + 1));
    row.setAttribute("aria-setsize", String(this.count));
    row.setAttribute("aria-selected", String(index === this.chosen));
    row.style.top = `${index * Rows.HEIGHT}px`;
    for (const text of this.cells(index)) {
      const cell = document.createElement("span");
      cell.textContent = text;
      cell.title = text;
      row.append(cell);
    }
    this.all.append(row);
    return row;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / Rows.HEIGHT) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const move = moves[event.key];
    if (move === undefined || this.count === 0) return;
    event.preventDefault();
    const from = this.chosen < 0 ? -1 : this.chosen;
    this.choose(Math.min(this.count - 1, Math.max(0, from + move)), true);
  }

  /// Chooses a row and brings it into sight.
  choose(index, tell) {
    this.known.get(this.chosen)?.setAttribute("aria-selected", "false");
    this.chosen = index;
    if (index < 0 || index >= this.count) return;
    const top = index * Rows.HEIGHT;
    const seen = this.element.clientHeight - Rows.HEIGHT;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + seen) this.element.scrollTop = top - seen;
    this.draw();
    this.known.get(index)?.setAttribute("aria-selected", "true");
    this.element.setAttribute("aria-activedescendant", `${this.name}-${index}`);
    if (tell) this.onChoose(index);
  }
}
