// A table of any length: only the rows in sight are in the page. Columns sort by a click or Enter on their button; what a
// table is sorted by is a part of the address, under the table's name.

import { h } from "./dom.js";

const ROW = 30; // pixels
const controls = (row) => [...(row?.querySelectorAll("a, button, input") ?? [])];
const SPARE = 6; // rows above and below what is in sight

// columns: [{ name, id (where names change or are there twice), title, number, cell(row) -> text or nodes, sort(row) ->
// number or text }]
export function table(place, app, id, { caption, columns, rows, height = 420, marked = () => false, opened = null, key = (row) => row }) {
  const ids = columns.map((one) => one.id ?? one.name);
  const [named, falling] = app.sorted(id) ?? [null, false];
  let [column, down] = [ids.findIndex((name, at) => name === named && columns[at].sort), falling];
  let shown = rows;
  const body = h("tbody");
  const heads = columns.map((one, at) => h("th", { scope: "col", class: one.number ? "number" : undefined, "aria-sort": "none", title: one.title },
    one.sort ? h("button", { type: "button", onclick: () => sort(at) }, one.name) : one.name));
  const made = h("table", { class: "rows", "aria-rowcount": String(rows.length + 1) }, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body);
  const box = h("div", { class: "table", role: "region", tabindex: "0", "aria-label": caption }, made);
  box.style.maxHeight = `${height}px`;
  place.replaceChildren(box);

  function sort(at) {
    down = column === at ? !down : Boolean(columns[at].number);
    column = at;
    app.sort(id, ids[at], down);
    arrange();
  }
  function arrange() {
    heads.forEach((head, at) => head.setAttribute("aria-sort", at !== column ? "none" : down ? "descending" : "ascending"));
    shown = [...rows];
    if (column >= 0) {
      const of = columns[column].sort;
      const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
      shown.sort((a, b) => {
        const [first, second] = [of(a), of(b)];
        if (first === null || second === null) return (first === null) - (second === null);
        return down ? order(second, first) : order(first, second);
      });
    }
    draw();
  }
  const filler = (pixels) => { const row = h("tr", { class: "filler", "aria-hidden": "true" }, h("td", { colspan: String(columns.length) })); row.firstChild.style.height = `${pixels}px`; return row; };
  function draw() {
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
    const to = Math.min(shown.length, Math.ceil((box.scrollTop + height) / ROW) + SPARE);
    const parts = [];
    if (from > 0) parts.push(filler(from * ROW));
    for (let place_ = from; place_ < to; place_ += 1) {
      const row = shown[place_];
      parts.push(h("tr", { "aria-rowindex": String(place_ + 2), class: marked(row) ? "marked" : undefined, dataset: { key: String(key(row)) } },
        columns.map((one, at) => h(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : undefined, class: one.number ? "number" : undefined }, one.cell(row)))));
    }
    if (to < shown.length) parts.push(filler((shown.length - to) * ROW));
    const focused = body.contains(document.activeElement) ? document.activeElement : null; // rows come and go while one scrolls
    const [of, at] = focused ? [focused.closest("tr").dataset.key, controls(focused.closest("tr")).indexOf(focused)] : [];
    body.replaceChildren(...parts);
    if (focused) controls([...body.rows].find((row) => row.dataset.key === of))[at]?.focus({ preventScroll: true });
  }
  let waiting = false;
  box.addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } });
  if (opened) body.addEventListener("click", (event) => { const row = event.target.closest("tr[data-key]"); if (row && !event.target.closest("a, button, input")) opened(row.dataset.key); });
  arrange();
  return { draw, rows: () => shown };
}
