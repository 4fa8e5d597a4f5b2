// Measures: how far measures agree about runs, the orders of runs by two of them, and pairs of runs whose verdict flips.

import { digits, h, pText, select, shortNames } from "./dom.js";
import { parts } from "./heat.js";
import { plot } from "./plot.js";
import { slopes } from "./slopes.js";
import { joined } from "./state.js";
import { table } from "./table.js";

const CELL = 58; // pixels, at most
const LABEL = 130; // room for names of measures at the right

// How light a colour is (#rgb or #rrggbb), mixed into another by a share.
const light = (hex, over = hex, share = 1) => parts(hex).map((part, at) => (share * part + (1 - share) * parts(over)[at]) / 255)
  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

let page = null; // places that stay while the view is open, so that the focus stays where it is

function build(content) {
  const places = Object.fromEntries(["controls", "notes", "matrix", "pair", "flips", "versions"].map((name) => [name, h("div")]));
  const pairTitle = h("h2", {}, "");
  content.replaceChildren(
    places.controls, places.notes,
    h("div", { class: "two" },
      h("section", {}, h("h2", {}, "How far measures agree"), places.matrix),
      h("section", {}, pairTitle, places.pair)),
    h("section", {}, h("h2", {}, "Pairs of runs whose verdict flips"), places.flips),
    h("section", {}, h("h2", {}, "On interval versions"), places.versions));
  return { ...places, pairTitle, content };
}

export function render(content, { data, frame }, app) {
  if (!page?.controls.isConnected) page = build(content);
  const interval = app.state().value === "interval";
  controls(page.controls, data, app, interval);
  page.notes.replaceChildren(...[
    interval && data.left_out.length ? h("p", { class: "soft" }, `Without an interval version: ${data.left_out.map(({ measure, why }) => `${measure} (${why})`).join(", ")}.`) : null,
    !interval && data.left_out.length ? h("p", { class: "soft" }, `Left out: ${data.left_out.map(({ measure, why }) => `${measure}, ${why}`).join("; ")}`) : null,
    ...(data.notices ?? []).map((text) => h("p", { class: "soft" }, text)),
    data.why_not ? h("p", { class: "notice", role: "alert" }, data.why_not) : null,
  ].filter(Boolean));
  for (const name of ["matrix", "pair", "flips", "versions"]) page[name].parentElement.hidden = Boolean(data.why_not);
  if (data.why_not) return {};
  let tests = null;
  matrix(page.matrix, data, tests, app);
  pair(page, data, frame, app);
  page.flips.replaceChildren(h("p", { class: "soft" }, "Being tested …"));
  page.versions.replaceChildren(h("p", { class: "soft" }, "Being tested …"));
  return {
    tests(tested) {
      tests = tested;
      if (tested.lower) matrix(page.matrix, data, tests, app);
      if (tested.why_not) { for (const name of ["flips", "versions"]) page[name].replaceChildren(h("p", { class: "soft" }, tested.why_not)); return; }
      flips(page.flips, data, tested.flips, app);
      versions(page.versions, data, tested, app);
    },
  };
}

function controls(place, data, app, interval) {
  const list = (names) => app.set({ measures: joined(names), pair: "" });
  const add = h("input", { id: "add-measure", list: "measure-names", autocomplete: "off", spellcheck: "false", size: "14", placeholder: "RBP(p=0.9)", "aria-label": "Measure to add" });
  const choose = (value, text) => h("button", { type: "button", "aria-pressed": String(interval === (value === "interval")), onclick: () => app.set({ value: value === "plain" ? "" : value }) }, text);
  const tests = select(app.page.offered.tests.map((one) => [one.name, one.label]), app.state().test ?? "student", (name) => app.set({ test: name === "student" ? "" : name }), { id: "test" });
  place.replaceChildren(
    h("ul", { class: "chips", "aria-label": "Measures that are compared" }, data.named.map((name) => h("li", { class: "chip" }, name,
      name === data.current ? h("span", { class: "spoken" }, " is the measure of all views") : h("button", { type: "button", "aria-label": `Leave out ${name}`, onclick: () => list(data.named.filter((one) => one !== name)) }, "×")))),
    h("form", { class: "controls fields-in-line", onsubmit: (event) => { event.preventDefault(); if (add.value.trim()) list([...data.named, add.value.trim()]); } },
      h("span", {}, add, " ", h("button", {}, "Add")),
      h("span", { role: "group", "aria-label": "Values or interval versions" }, choose("plain", "Values"), " ", choose("interval", "Interval versions")),
      h("span", {}, h("label", { for: "test" }, "Test "), tests)));
}

// One triangle: a row for each measure, its name at the diagonal, so that a name stands over its column too.
function matrix(place, data, tests, app) {
  const had = place.contains(document.activeElement);
  const count = data.measures.length;
  const wide = place.clientWidth || 500;
  const cell = Math.max(14, Math.min(CELL, (wide - LABEL - 16) / (count - 1 || 1)));
  const turned = (row, column) => (data.low_is_good[row] !== data.low_is_good[column] ? -1 : 1) * (data.tau[row][column] ?? NaN);
  const cells = [];
  for (let row = 1; row < count; row += 1) for (let column = 0; column < row; column += 1) cells.push([row, column]);
  const least = Math.min(0.5, ...cells.map(([row, column]) => turned(row, column)).filter((value) => !Number.isNaN(value)));
  const [first, second] = data.pair.map((side) => side.measure);
  const open = (row, column) => [data.measures[row], data.measures[column]].sort().join() === [first, second].sort().join();
  const key = (row, column) => `${row},${column}`;
  const strength = (row, column) => Math.max(0, (turned(row, column) - least) / (1 - least || 1));
  function draw({ context, x, y, colour }) {
    const [side, tall] = [x(1) - x(0), y(0) - y(1)];
    const [accent, ground, ink] = ["accent", "ground", "ink"].map(colour);
    context.textAlign = "center"; context.textBaseline = "middle";
    for (const [row, column] of cells) {
      const [left, top] = [x(column), y(count - row)];
      const defined = data.tau[row][column] !== null;
      const share = defined ? 0.06 + 0.94 * strength(row, column) ** 1.5 : 0;
      const under = light(accent, ground, share);
      context.fillStyle = accent; context.globalAlpha = share;
      context.fillRect(left + 1, top + 1, side - 2, tall - 2);
      context.globalAlpha = 1;
      context.fillStyle = contrast(under, light(ground)) > contrast(under, light(ink)) ? ground : ink;
      if (side > 30) context.fillText(defined ? data.tau[row][column].toFixed(2).replace("-", "−") : "×", left + side / 2, top + tall / 2);
      if (open(row, column)) { context.strokeStyle = colour("ink"); context.lineWidth = 2.5; context.strokeRect(left + 2, top + 2, side - 4, tall - 4); }
    }
    context.textAlign = "left";
    data.measures.forEach((name, row) => {
      context.fillStyle = colour(name === first || name === second ? "ink" : "soft");
      context.fillText(name, x(row) + 5, y(count - row) + tall / 2);
    });
  }
  const interval = (row, column) => (tests?.lower && tests.lower[row][column] !== null ? `, 95% interval ${digits(tests.lower[row][column])} to ${digits(tests.upper[row][column])}` : "");
  const box = h("div");
  place.replaceChildren(box, h("p", { class: "soft" }, `Kendall’s tau-b between the means of ${data.runs.length} runs over ${data.topics} topics; the stronger the colour, the more two measures agree: above 0.9 they are read as equivalent, from 0.8 as similar. Click a cell, or press Enter on it, to see the two orders.`));
  const made = plot(box, {
    label: `Matrix of Kendall’s tau between ${count} measures, ordered by similarity: ${data.measures.join(", ")}`,
    height: Math.ceil(cell * count) + 16, x: { domain: [0, (wide - 16) / cell], hidden: true }, y: { domain: [0, count], hidden: true }, within: Math.max(24, cell * 0.7),
    marks: [draw],
    items: cells.map(([row, column]) => ({ x: column + 0.5, y: count - row - 0.5, key: key(row, column), text: `${data.measures[row]} and ${data.measures[column]}: tau ${digits(data.tau[row][column])}, ${data.readings[row][column]}${interval(row, column)}` })),
    open: (at) => { const [row, column] = at.split(",").map(Number); app.set({ pair: joined([data.measures[column], data.measures[row]]) }); },
  });
  if (had) { made.canvas.focus(); const shown = cells.find(([row, column]) => open(row, column)); if (shown) made.point(key(...shown)); }
}

function pair(places, data, frame, app) {
  const [left, right] = data.pair;
  places.pairTitle.textContent = `${left.measure} against ${right.measure}`;
  const box = h("div");
  const had = places.pair.contains(document.activeElement);
  places.pair.replaceChildren(box, h("p", { class: "soft" }, `Tau ${digits(data.pair_tau)}. Runs in the order of their means, the best at the top${left.low_is_good || right.low_is_good ? " (low is good for " + data.pair.filter((one) => one.low_is_good).map((one) => one.measure).join(" and ") + ")" : ""}. Click a run to look at it as A.`));
  const made = slopes(box, {
    names: data.runs, marked: { a: frame.a, b: frame.b },
    sides: data.pair.map((side) => ({ title: side.measure, places: side.places, values: side.means })),
    open: (run) => app.set(run === frame.b ? { a: frame.b, b: frame.a } : { a: run, b: frame.b }),
  });
  if (had) made.canvas.focus();
}

function flips(place, data, found, app) {
  const [left, right] = data.pair.map((side) => side.measure);
  const short = shortNames(data.runs);
  const name = (run) => h("span", { title: data.runs[run] }, short[run]);
  const VERDICTS = { 1: "is better", 0: "not told apart", "-1": "is worse" };
  const link = ([run, other], measure) => h("a", { href: app.link("compare", { a: data.runs[run], b: data.runs[other], m: measure }), "aria-label": `Compare ${data.runs[run]} and ${data.runs[other]} by ${measure}` }, measure);
  const only = ([first, second]) => [first ? `${first} differ by ${left} only` : "", second ? `${second} by ${right} only` : ""].filter(Boolean).join(", ");
  const flipped = found.reversed + found.only[0] + found.only[1];
  const words = flipped === 0 ? `None of the ${found.pairs.toLocaleString("en")} pairs of runs has another verdict by ${left} than by ${right}.`
    : `Of ${found.pairs.toLocaleString("en")} pairs of runs ${flipped.toLocaleString("en")} have another verdict by ${left} than by ${right}: ${[only(found.only), found.reversed ? `${found.reversed} are reversed` : "none is reversed"].filter(Boolean).join(", ")}.`;
  const list = h("div");
  place.replaceChildren(h("p", {}, words), h("p", { class: "soft" }, `${found.test}; p: ${[...new Set(found.families)].join(" and ")}. Compare tests the two runs by themselves.`), list);
  if (!flipped) return;
  table(list, app, "flips", {
    caption: found.listed.length < flipped ? `${found.listed.length.toLocaleString("en")} of ${flipped.toLocaleString("en")} pairs, those that change most` : `${flipped.toLocaleString("en")} pairs`,
    rows: found.listed, key: (row) => row.slice(0, 2).join(),
    columns: [
      { name: "run", cell: (row) => name(row[0]), sort: (row) => data.runs[row[0]] },
      { name: "than run", cell: (row) => name(row[1]), sort: (row) => data.runs[row[1]] },
      { id: "first", name: `by ${left}`, cell: (row) => h("span", { class: row[2] ? "differs" : "same" }, VERDICTS[row[2]]), sort: (row) => VERDICTS[row[2]] },
      { id: "first p", name: "p", number: true, cell: (row) => pText(row[4]), sort: (row) => row[4] },
      { id: "second", name: `by ${right}`, cell: (row) => h("span", { class: row[3] ? "differs" : "same" }, VERDICTS[row[3]]), sort: (row) => VERDICTS[row[3]] },
      { id: "second p", name: "p", number: true, cell: (row) => pText(row[5]), sort: (row) => row[5] },
      { name: "compare by", cell: (row) => [link(row, left), " ", link(row, right)] },
    ],
  });
}

function versions(place, data, tests, app) {
  const known = tests.versions.filter((one) => !one.why_not);
  const unknown = tests.versions.filter((one) => one.why_not);
  const without = unknown.length ? h("p", { class: "soft" }, `Without an interval version: ${unknown.map((one) => `${one.measure} (${one.why_not})`).join(", ")}.${unknown.some((one) => one.why_not === "no length is fixed") ? " A depth, as in AP@10, gives one." : ""}`) : "";
  if (!known.length) { place.replaceChildren(without); return; }
  const list = h("div");
  place.replaceChildren(h("p", { class: "soft" }, "A measure against its own interval version: how far the orders of runs agree, and which verdicts of the test change."), list, without);
  table(list, app, "versions", {
    caption: "Measures and their interval versions", rows: known, key: (row) => row.measure, height: 300,
    columns: [
      { name: "measure", cell: (row) => h("a", { href: app.link("measures", { pair: joined([row.measure, row.interval]), value: "" }) }, row.measure), sort: (row) => row.measure },
      { name: "tau", number: true, cell: (row) => digits(row.tau), sort: (row) => row.tau },
      { name: "pairs that differ", number: true, cell: (row) => String(row.significant[0]), sort: (row) => row.significant[0] },
      { name: "no longer there", title: "Pairs that differ by the measure, and not by its interval version", number: true, cell: (row) => String(row.only[0]), sort: (row) => row.only[0] },
      { name: "only there", title: "Pairs that differ by the interval version alone", number: true, cell: (row) => String(row.only[1]), sort: (row) => row.only[1] },
      { name: "reversed", number: true, cell: (row) => String(row.reversed), sort: (row) => row.reversed },
    ],
  });
}
