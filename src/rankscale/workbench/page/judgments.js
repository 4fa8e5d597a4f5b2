// Judgments: what unjudged documents leave open, the order of runs with a shallower pool, and what to judge next.

import { bands } from "./bands.js";
import { digits, h, labelled, shortNames, signed } from "./dom.js";
import { marks, plot } from "./plot.js";
import { slopes } from "./slopes.js";
import { table } from "./table.js";

const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
// Depths on an axis of logarithms, as many as have room.
const depths = (place, last) => TICKS.filter((tick) => tick <= last && (place.clientWidth > 480 || Number.isInteger(Math.log10(tick)))).map(Math.log10);

let page = null; // what stays while the view is open, so that sliders keep the focus while they move

function build(content, app) {
  const places = Object.fromEntries(["why", "runs", "byDepth", "byP", "boundsCommand", "poolWords", "taus", "poolOrders", "moves", "poolCommand", "nextWords", "next"].map((name) => [name, h("div")]));
  const weigh = h("input", { id: "weigh", list: "measure-names", autocomplete: "off", spellcheck: "false", size: "14", onchange: () => app.set({ weigh: weigh.value.trim() }) });
  const p = h("input", { id: "p-bounds", type: "range", min: "0.01", max: "0.99", step: "0.01", oninput: () => { output.value = p.value; app.soon({ weigh: persistent(app.answer.data.bounds.measure, p.value) }); } });
  const output = h("output", { for: "p-bounds" });
  const persistence = labelled("persistence p", h("span", { class: "pair" }, p, output), "How likely users read on: the higher, the deeper unjudged documents count");
  const pool = h("input", { id: "pool", type: "range", min: "0", step: "1", oninput: () => { const steps = app.answer.data.pool.steps; depth.value = poolText(steps[pool.value]); app.soon({ pool: steps[pool.value] ?? "" }); } });
  const depth = h("output", { for: "pool" });
  const cost = h("input", { id: "cost", type: "number", min: "1", max: "1000", step: "1", class: "short", onchange: () => app.set({ cost: cost.value }) });
  const plain = h("a", { download: "to-judge.txt" }, "list for assessors (topic document)");
  const rows = h("a", { download: "judgments.tsv" }, "table (TSV)");
  content.replaceChildren(
    h("section", {}, h("h2", {}, "What unjudged documents and empty ranks leave open"),
      h("p", { class: "controls fields-in-line" }, labelled("bounds of", weigh, "A measure with bounds, such as RBP(p=0.8), P@10 or DCG@10"), persistence), places.why,
      places.runs, h("div", { class: "two" }, h("section", {}, h("h3", {}, "By depth of the ranking"), places.byDepth), h("section", {}, h("h3", {}, "By persistence p of RBP"), places.byP)),
      places.boundsCommand),
    h("section", {}, h("h2", {}, "With the judgments of a shallower pool"),
      h("p", { class: "controls fields-in-line" }, labelled("depth of the pool", h("span", { class: "pair" }, pool, depth), "Judgments of documents that some run ranks at this depth or above")), places.poolWords,
      h("div", { class: "two" }, h("section", {}, h("h3", {}, "Tau against all judgments"), places.taus, places.moves), h("section", {}, h("h3", {}, "Order of runs"), places.poolOrders)), places.poolCommand),
    h("section", {}, h("h2", {}, "Judge next"),
      h("p", { class: "controls fields-in-line" }, labelled("documents", cost, "How many documents to list"), h("span", {}, "Take the ", plain, " or the ", rows, ".")), places.nextWords, places.next));
  return { ...places, weigh, p, output, persistence, pool, depth, cost, plain, rows };
}

const poolText = (depth) => (depth === undefined ? "all judgments" : String(depth));
// The same measure with another persistence; what else it has stays.
function persistent(text, p) {
  const [, inside = "", rest = ""] = text.match(/^RBP(?:\(([^)]*)\))?(.*)$/) ?? [];
  const others = inside.split(",").filter((part) => part && !part.startsWith("p="));
  return `RBP(${[`p=${p}`, ...others].join(",")})${rest}`;
}
const command = (place, text, app) => place.replaceChildren(h("p", { class: "command" }, h("code", {}, text), " ",
  h("button", { type: "button", class: "small", "aria-label": "Copy this command", onclick: async () => { await navigator.clipboard.writeText(text); app.say("Command copied."); } }, "Copy")));

export function render(content, { data, frame }, app) {
  if (!page?.pool.isConnected) page = build(content, app);
  fields(data, app);
  const marked = { a: frame.a, b: frame.b };
  const about = data.bounds;
  page.why.replaceChildren(about.why ? h("p", { class: "soft" }, `${about.why}. Shown are bounds of ${about.measure}.`) : "",
    app.state().judged || app.state().depth ? h("p", { class: "soft" }, "Bounds and weights are of whole rankings with their unjudged documents, whatever is cut or left out elsewhere.") : "");
  everyRun(page.runs, data, marked, app);
  byDepth(data.by_depth, data, marked);
  byP(data.by_p, data, marked);
  command(page.boundsCommand, data.commands.bounds, app);
  pool(data.pool, marked, app);
  command(page.poolCommand, data.commands.pool, app);
  page.taus.replaceChildren(h("p", { class: "soft" }, "Being measured …"));
  page.nextWords.replaceChildren(h("p", { class: "soft" }, "Reading the documents of all runs …"));
  page.next.replaceChildren();
  return {
    tests(tested) {
      const failed = tested.next ? "" : tested.why_not;
      if (tested.by_depth) byDepth(tested.by_depth, data, marked);
      if (tested.by_p) byP(tested.by_p, data, marked);
      if (tested.taus) taus(tested.taus, data.pool, app); else page.taus.replaceChildren(h("p", { class: "soft" }, failed));
      next(tested.next ?? { why_not: failed }, data, frame, app);
    },
  };
}

function fields(data, app) {
  const set = (field, value) => { if (field !== document.activeElement) field.value = value; };
  set(page.weigh, app.state().weigh ?? "");
  page.weigh.placeholder = data.bounds.measure;
  page.persistence.hidden = data.bounds.p === null;
  if (data.bounds.p !== null) { set(page.p, data.bounds.p); page.output.value = String(data.bounds.p); }
  const { steps, depth } = data.pool;
  page.pool.max = String(steps.length);
  const at = depth ? steps.findIndex((step) => step >= depth) : -1;
  set(page.pool, String(at < 0 ? steps.length : at));
  page.depth.value = depth ? String(depth) : "all judgments";
  page.pool.setAttribute("aria-valuetext", page.depth.value);
  set(page.cost, app.state().cost ?? "10");
  const query = new URLSearchParams(app.state());
  page.plain.href = `/judgments.txt?${query}`;
  page.rows.href = `/judgments.tsv?${query}`;
}

// What is open of a run, by its cause; nothing where that is not known.
function parts({ lower, upper, of_documents: documents }, row) {
  if (!documents) return "";
  const empty = Math.max(0, upper[row] - lower[row] - documents[row]);
  return ` (${digits(documents[row])} by unjudged documents, ${digits(empty)} by ranks that hold no document)`;
}

// A bar from lower to upper for each run, the best first.
function everyRun(place, data, marked, app) {
  const { names, means, lower, upper, of_documents: documents } = data.runs;
  const kind = (run) => (run === marked.a ? "accent" : run === marked.b ? "unsure" : "soft");
  const width = upper.map((value, row) => value - lower[row]);
  const widest = width.indexOf(Math.max(...width));
  const sure = names.filter((_, row) => row > 0 && upper[row] < lower[0]).length;
  const words = names.length > 1 ? `Whatever unjudged documents and empty ranks would gain, ${names[0]} stays above ${sure} of the ${names.length - 1} other runs. ${names[widest]} is least known: ${digits(lower[widest])} to ${digits(upper[widest])}${parts(data.runs, widest)}.` : "";
  const box = h("div");
  place.replaceChildren(h("p", {}, words), box, h("p", { class: "soft" }, `Bars go from the lower bound, where what is open gains nothing, to the upper one, where it gains the most; a tick is the mean. ${documents ? "The full part of a bar is open because of unjudged documents, which judging can settle; the pale part because of ranks that hold no document (rankings that end before the depth, topics that a run lacks, ranks below the last), which no judgment can." : "What is open are unjudged documents, which judging can settle, and ranks that hold no document (rankings that end before the depth, topics that a run lacks), which no judgment can."} A is ${marked.a} and B is ${marked.b}, in colour; the dashed line is the lower bound of the best run. Click a run to look at it as A.`));
  plot(box, {
    label: `Lower and upper mean ${data.bounds.measure} of ${names.length} runs, the best first`, height: 240,
    x: { names: shortNames(names, 14), title: "run, the best first" }, y: { domain: [Math.min(0, ...lower), Math.max(...upper, 1e-9)], title: data.bounds.measure },
    marks: [({ context, x, y, width: wide, colour }) => names.forEach((run, row) => {
      const thick = Math.max(1.5, Math.min(14, (wide / names.length) * 0.6)) * (kind(run) === "soft" ? 1 : 1.3);
      const settled = documents ? Math.min(upper[row], lower[row] + documents[row]) : upper[row];
      const strong = kind(run) === "soft" ? 0.45 : 0.75;
      context.fillStyle = colour(kind(run));
      for (const [top, bottom, alpha] of [[upper[row], settled, 0.4 * strong], [settled, lower[row], strong]]) {
        context.globalAlpha = alpha;
        if (top > bottom || alpha === strong) context.fillRect(x(row) - thick / 2, y(top), thick, Math.max(1, y(bottom) - y(top)));
      }
      context.globalAlpha = 1;
      context.fillStyle = colour(kind(run) === "soft" ? "ink" : kind(run));
      context.fillRect(x(row) - thick / 2 - 1, y(means[row]) - 1, thick + 2, 2);
    }), marks.rule({ y: lower[0] }, "soft", [3, 3])],
    items: names.map((run, row) => ({ x: row, y: means[row], key: run, text: `${run === marked.a ? "A " : run === marked.b ? "B " : ""}${run}: ${digits(means[row])}, from ${digits(lower[row])} to ${digits(upper[row])}, ${digits(width[row])} left open${parts(data.runs, row)}` })),
    nearX: true, open: (run) => app.set(run === marked.b ? { a: marked.b, b: marked.a } : { a: run, b: marked.b }),
  });
}

function byDepth(found, data, marked) {
  if (!found) { page.byDepth.replaceChildren(h("p", { class: "soft" }, "Being measured …")); return; }
  const last = found.across.at(-1);
  bands(page.byDepth, {
    label: `Lower and upper mean ${data.bounds.measure} by depth, from 1 to ${last}`, bands: found, named: data.named, marked, at: data.bounds.depth, y: "mean",
    x: { of: Math.log10, title: "depth", ticks: depths(page.byDepth, last), label: (value) => String(Math.round(10 ** value)), unit: "Depth" },
  });
}
function byP(found, data, marked) {
  if (!found) { page.byP.replaceChildren(h("p", { class: "soft" }, "Being measured …")); return; }
  bands(page.byP, {
    label: "Lower and upper mean RBP by persistence p", bands: found, named: data.named, marked, at: data.bounds.p, y: "mean",
    x: { of: (value) => value, title: "p", ticks: [0.1, 0.3, 0.5, 0.7, 0.9], unit: "p" },
  });
}

function pool(found, marked, app) {
  const share = (part, of) => `${part.toLocaleString("en")} of ${of.toLocaleString("en")}`;
  const words = found.depth ? `A pool of depth ${found.depth} has ${share(found.judged, found.of_judged)} judgments and ${share(found.relevant, found.of_relevant)} relevant documents. The order of runs by ${found.measure} with them alone has a tau of ${digits(found.tau)} with that by all judgments.`
    : "Move the slider: what would the order of runs be, had fewer documents been judged?";
  page.poolWords.replaceChildren(h("p", {}, words));
  if (!found.depth) { page.poolOrders.replaceChildren(h("p", { class: "soft" }, "All judgments: nothing moves.")); page.moves.replaceChildren(); return; }
  const moves = found.full_places.map((place, run) => place - found.pool_places[run]);
  slopes(page.poolOrders, {
    names: found.runs, marked,
    sides: [{ title: "all judgments", places: found.full_places, values: found.full }, { title: `pool of depth ${found.depth}`, places: found.pool_places, values: found.pool }],
    open: (run) => app.set(run === marked.b ? { a: marked.b, b: marked.a } : { a: run, b: marked.b }),
  });
  const short = shortNames(found.runs, 20);
  const rows = found.runs.map((_, run) => run).sort((one, other) => Math.abs(moves[other]) - Math.abs(moves[one]) || found.full_places[one] - found.full_places[other]);
  table(page.moves, app, "moves", {
    caption: "Runs that move most first", rows, height: 280, key: (run) => found.runs[run], marked: (run) => found.runs[run] === marked.a || found.runs[run] === marked.b,
    columns: [
      { name: "run", cell: (run) => h("span", { title: found.runs[run] }, short[run]), sort: (run) => found.runs[run] },
      { name: "all", title: `Mean ${found.measure} with all judgments`, number: true, cell: (run) => digits(found.full[run]), sort: (run) => found.full[run] },
      { name: "pool", title: `Mean ${found.measure} with the judgments of the pool`, number: true, cell: (run) => digits(found.pool[run]), sort: (run) => found.pool[run] },
      { name: "change", number: true, cell: (run) => signed(found.pool[run] - found.full[run]), sort: (run) => found.pool[run] - found.full[run] },
      { name: "place", title: "Place with all judgments, and with those of the pool", number: true, cell: (run) => `${found.full_places[run]} → ${found.pool_places[run]}`, sort: (run) => found.full_places[run] },
      { name: "moves", title: "Places up (above 0) or down", number: true, cell: (run) => signed(moves[run], 0), sort: (run) => Math.abs(moves[run]) },
    ],
  });
}

function taus(found, about, app) {
  const known = found.filter((one) => one.tau !== null);
  if (known.length < 2) { page.taus.replaceChildren(h("p", { class: "soft" }, "It takes two runs that differ, and judgments at several depths.")); return; }
  const of = Math.log10;
  const last = found.at(-1).depth;
  const low = Math.min(0.9, ...known.map((one) => one.tau));
  plot(page.taus, {
    label: `Kendall’s tau between the order of runs with a pool of each depth and with all judgments: ${digits(known[0].tau)} at depth ${known[0].depth}, ${digits(known.at(-1).tau)} at depth ${last}`, height: 200,
    x: { domain: [of(found[0].depth), (of(last) || 1) * 1.05], title: "depth of the pool", ticks: depths(page.taus, last), label: (value) => String(Math.round(10 ** value)) },
    y: { domain: [Math.max(-1, low - 0.02), 1], title: "tau" },
    marks: [marks.rule({ y: 0.9 }, "soft", [2, 3]), marks.line(known.map((one) => [of(one.depth), one.tau]), "accent"), marks.points(known.map((one) => ({ x: of(one.depth), y: one.tau, key: one.depth }))),
      about.depth ? marks.rule({ x: of(about.depth) }, "ink", [2, 3]) : () => {}],
    items: known.map((one) => ({ x: of(one.depth), y: one.tau, key: one.depth, text: `Depth ${one.depth}: tau ${digits(one.tau)}, ${one.judged.toLocaleString("en")} judgments` })),
    nearX: true, open: (depth) => app.set({ pool: depth }),
  });
}

function next(found, { runs }, frame, app) {
  if (found.why_not) { page.nextWords.replaceChildren(h("p", { class: "soft" }, found.why_not)); page.next.replaceChildren(); return; }
  app.topicOrder = [...new Set(found.rows.map((row) => row.topic))];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const empty = runs.of_documents ? mean(runs.upper.map((high, row) => Math.max(0, high - runs.lower[row] - runs.of_documents[row]))) : 0;
  page.nextWords.replaceChildren(h("p", {}, `${found.sentence}${empty >= 0.00005 ? ` Of that residual ${digits(empty)} is of ranks that hold no document, which no judgment settles.` : ""}`), h("p", { class: "soft" },
    `Documents that nobody judged, by what a judgment of them would settle, whichever way it falls: the weight of the ranks that runs give them in ${found.measure}, over all runs.${found.depth ? ` Rankings are looked at down to rank ${found.depth}.` : ""}`));
  const where = (row) => row.best.map(([run, rank]) => `${run} ${rank}`).join(", ") + (row.runs > row.best.length ? `, … (${row.runs - row.best.length} more)` : "");
  table(page.next, app, "next", {
    caption: `${found.rows.length} documents to judge next`, rows: found.rows.map((row, number) => ({ ...row, number })), key: (row) => row.number, opened: (number) => app.openTopic(found.rows[number].topic),
    columns: [
      { name: "document", cell: (row) => row.document, sort: (row) => row.document },
      { name: "topic", cell: (row) => h("a", { href: app.link("ranking", {}, row.topic) }, row.topic), sort: (row) => row.topic },
      { name: "weight", title: "Sum over runs of what a judgment settles", number: true, cell: (row) => digits(row.weight), sort: (row) => row.weight },
      { name: "left open", title: `Mean residual of runs once this and all before are judged; ${digits(found.residual)} now`, number: true, cell: (row) => digits(row.residual), sort: (row) => row.residual },
      { name: "at most", title: `Highest residual of a run once this and all before are judged; ${digits(found.highest_residual)} now`, number: true, cell: (row) => digits(row.highest_residual), sort: (row) => row.highest_residual },
      { name: "A", title: `Rank in ${frame.a}`, number: true, cell: (row) => (row.a === null ? "–" : String(row.a)), sort: (row) => row.a },
      { name: "B", title: `Rank in ${frame.b}`, number: true, cell: (row) => (row.b === null ? "–" : String(row.b)), sort: (row) => row.b },
      { name: "runs", number: true, title: "Runs that retrieve it", cell: (row) => String(row.runs), sort: (row) => row.runs },
      { name: "run and rank, the best first", cell: (row) => where(row) },
    ],
  });
}
