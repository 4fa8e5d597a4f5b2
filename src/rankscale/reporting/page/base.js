"use strict";
// What the report and the workbench share: figures in their places, tables that sort and filter. Names from files are only
// ever set as text.
const byId = (id) => document.getElementById(id);
const drawing = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } };

// A figure in its place. The menu that saves it gets a name, which vega-embed leaves out, and marks without one, such as
// the brush, are hidden from readers of the screen: the figure's description tells what is drawn.
async function embed(place, spec, options) {
  const { view } = await vegaEmbed(place, spec, { ...drawing, ...options });
  place.querySelector("summary").setAttribute("aria-label", "Save this figure");
  const nameless = place.querySelectorAll("[role='graphics-symbol']:not([aria-label])");
  for (const mark of nameless) mark.setAttribute("aria-hidden", "true");
  return view;
}

// Tables: a click or Enter on a column's button sorts by it, once more the other way round.
function sortKey(row, column) {
  const cell = row.cells[column];
  const given = cell.dataset.sort;
  return given === undefined ? cell.textContent : given === "" ? null : Number(given);
}
function sortBy(table, column) {
  const head = table.tHead.rows[0].cells[column];
  const numeric = head.classList.contains("number");
  const before = head.getAttribute("aria-sort");
  const ascending = before === "none" ? !numeric : before !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, column), row]);
  const order = ([a], [b]) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const undefinedLast = ([a], [b]) => (a === null) - (b === null);
  rows.sort((a, b) => (a[0] === null || b[0] === null ? undefinedLast(a, b) : ascending ? order(a, b) : order(b, a)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    head.firstElementChild.addEventListener("click", () => sortBy(table, head.cellIndex));
  }
}

// Filters: rows whose first cell holds what is typed.
for (const field of document.querySelectorAll("[data-filters]")) {
  const table = byId(field.dataset.filters);
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const is = row.cells[0].textContent.toLowerCase().includes(wanted);
      row.hidden = !is;
      shown += is;
    }
    byId(`${field.id}-count`).textContent = `${shown} of ${table.tBodies[0].rows.length}`;
  });
}
