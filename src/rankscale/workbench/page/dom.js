// Elements from data. Names of runs, topics and documents are only ever set as text or as attributes, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name === "value" || name === "checked" || name === "selected") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);
export const byId = (id) => document.getElementById(id);

// A number as people read it; data keeps all digits.
export function digits(value, places = 4) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(places).replace("-", "−");
}
// Differences by rounding alone have no sign.
export const signed = (value, places = 4) => (Math.abs(value) < 0.5 * 10 ** -places && value !== null ? digits(0, places) : value > 0 ? `+${digits(value, places)}` : digits(value, places));
export function pText(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.0001 ? "< 0.0001" : digits(p);
}

// Long names are cut in the middle; where that makes two the same, what all names begin and end with is left out first.
export function shortNames(names, letters = 28) {
  const cut = (name) => (name.length <= letters ? name
    : `${name.slice(0, Math.ceil(letters / 2) - 1)}…${name.slice(name.length - Math.floor(letters / 2))}`);
  const differ = (short) => new Set(short).size === new Set(names).size;
  const short = names.map(cut);
  if (differ(short)) return short;
  const least = Math.min(...names.map((name) => name.length));
  const shared = (at) => names.every((name) => at(name) === at(names[0]));
  let [start, end] = [0, 0];
  while (start < least && shared((name) => name[start])) start += 1;
  while (end < least - start && shared((name) => name[name.length - 1 - end])) end += 1;
  const bare = names.map((name) => cut(`${start > 1 ? "…" : name.slice(0, start)}${name.slice(start, name.length - end)}${end > 1 ? "…" : name.slice(name.length - end)}`));
  return differ(bare) ? bare : names;
}

// A field with its label.
export function labelled(text, field, help) {
  return h("label", { class: "field", title: help }, h("span", {}, text), field);
}
export function select(options, chosen, change, properties = {}) {
  const made = h("select", { ...properties, onchange: () => change(made.value) },
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return made;
}
