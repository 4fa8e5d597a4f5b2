"use strict";
// What the report and the workbench share: elements and colours, figures in their places, tables that sort, filter and can
// be saved. Names from files are only ever set as text.
const byId = (id) => document.getElementById(id);
const drawing = { renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false } };

// An element with attributes and children; children that are texts stay texts.
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
const shown = (value, places = 4) => (Number.isFinite(value) ? value.toFixed(places) : Number.isNaN(value) ? "-" : value > 0 ? "∞" : "-∞");
const signed = (value, places = 4) => (value > 0 ? "+" : "") + shown(value, places);

// Numbers of a kind such as Float32Array, from base64.
function decode(text, Kind) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  return new Kind(bytes.buffer);
}

// Colours: those of the reader's system unless a click chose others; `themechange` tells those who draw.
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => {
  const { theme } = document.documentElement.dataset;
  return theme === "dark" || (theme !== "light" && system.matches);
};
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
function themeChanged() {
  const button = byId("theme");
  if (button) button.textContent = isDark() ? "Light colours" : "Dark colours";
  document.dispatchEvent(new Event("themechange"));
}
system.addEventListener("change", themeChanged);
byId("theme")?.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  themeChanged();
});
// Paper is white.
let beforePrint = null;
window.addEventListener("beforeprint", () => {
  if (!isDark()) return;
  beforePrint = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  themeChanged();
});
window.addEventListener("afterprint", () => {
  if (beforePrint === null) return;
  document.documentElement.dataset.theme = beforePrint;
  beforePrint = null;
  themeChanged();
});
themeChanged();

// A figure in its place. The menu that saves it gets a name, which vega-embed leaves out, and marks without one, such as
// the brush, are hidden from readers of the screen: the figure's description tells what is drawn.
async function embed(place, spec, options) {
  const { view } = await vegaEmbed(place, spec, { ...drawing, ...options });
  place.querySelector("summary").setAttribute("aria-label", "Save this figure");
  const nameless = place.querySelectorAll("[role='graphics-symbol']:not([aria-label])");
  for (const mark of nameless) mark.setAttribute("aria-hidden", "true");
  return view;
}

// Roving focus: of many controls one is a stop of the tabulator key, and arrows go to the others.
function rove(container, selector) {
  const all = [...container.querySelectorAll(selector)];
  const current = all.find((one) => one.tabIndex === 0 && one === document.activeElement) ?? all.find((one) => !one.closest("[hidden]"));
  for (const one of all) one.tabIndex = one === current ? 0 : -1;
  if (container.roving?.has(selector)) return;
  container.roving = (container.roving ?? new Set()).add(selector);
  container.addEventListener("keydown", (event) => {
    const from = event.target.closest(selector);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!from || (step === undefined && event.key !== "Home" && event.key !== "End")) return;
    const here = [...container.querySelectorAll(selector)].filter((one) => !one.closest("[hidden]"));
    const place = event.key === "Home" ? 0 : event.key === "End" ? here.length - 1 : here.indexOf(from) + step;
    const next = here[Math.min(here.length - 1, Math.max(0, place))];
    for (const one of container.querySelectorAll(selector)) one.tabIndex = one === next ? 0 : -1;
    next?.focus();
    event.preventDefault();
  });
}
function roveTable(table) {
  rove(table.tHead, "button");
  rove(table.tBodies[0], "a, button, summary");
}

// Tables: a click or Enter on a column's button sorts by it, once more the other way round.
function sortKey(row, column) {
  const cell = row.cells[column];
  const given = cell.dataset.sort;
  return given === undefined ? cell.textContent : given === "" ? null : Number(given);
}
function sortBy(table, column, direction) {
  const head = table.tHead.rows[0].cells[column];
  const numeric = head.classList.contains("number");
  const before = head.getAttribute("aria-sort");
  const ascending = direction ? direction === "ascending" : before === "none" ? !numeric : before !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, column), row]);
  rows.sort(byKey(ascending));
  table.tBodies[0].append(...rows.map(([, row]) => row));
  table.dispatchEvent(new CustomEvent("sorted", { bubbles: true, detail: { column, ascending } }));
}
// Order of [key, ...]: numbers by value, texts as people count, what is undefined last both ways.
function byKey(ascending) {
  const order = ([a], [b]) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const undefinedLast = ([a], [b]) => (a === null) - (b === null);
  return (a, b) => (a[0] === null || b[0] === null ? undefinedLast(a, b) : ascending ? order(a, b) : order(b, a));
}
for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    head.firstElementChild.addEventListener("click", () => sortBy(table, head.cellIndex));
  }
  roveTable(table);
}

// Filters: rows whose name, the heading or else the first cell, holds what is typed.
for (const field of document.querySelectorAll("[data-filters]")) {
  const table = byId(field.dataset.filters);
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase();
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const is = (row.querySelector("th") ?? row.cells[0]).textContent.toLowerCase().includes(wanted);
      row.hidden = !is;
      count += is;
    }
    byId(`${field.id}-count`).textContent = `${count} of ${table.tBodies[0].rows.length}`;
    roveTable(table);
  });
}

// Data of tables as files: a line for each row, numbers in full.
function saveText(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const tsvLine = (cells) => `${cells.map((cell) => String(cell).replace(/\s+/g, " ").trim()).join("\t")}\n`;
function tableText(table) {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.name ?? cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.sort || cell.textContent));
  return [heads, ...rows].map(tsvLine).join("");
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.save");
  if (!button) return;
  const table = byId(button.dataset.saves);
  saveText(`${table.id}.tsv`, table.listing ? table.listing.text() : tableText(table));
});
