// Effort: every ranking by effort and gain, the brushed ones as a list and with their curves, and the indicators of CRP
// of run A, topic by topic.

import { digits, h, select, signed } from "./dom.js";
import { parallel } from "./parallel.js";
import { marks, plot } from "./plot.js";
import { table } from "./table.js";

const ROOM = 48; // for numbers beside small curves, in pixels
const SHADES = { "high-high": "bad", gray: "soft", below: "unsure", diagonal: "good" };
const NONE_WASTED = "1 = no wasted effort";
const percent = (share) => (share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);

export function render(content, answer, app) {
  const { data } = answer;
  const share = Object.fromEntries(data.areas.map((one) => [one.area, percent(one.share)]));
  const parts = Object.fromEntries(["grid", "list", "curves", "lines"].map((name) => [name, h("div", { id: `effort-${name}` })]));
  for (const name of ["curves", "lines"]) parts[name] = content.querySelector(`#effort-${name}`) ?? parts[name]; // until the new ones are there
  content.replaceChildren(
    h("p", { class: "headline" }, `For ${share.diagonal} of the rankings gain and effort agree; ${share["high-high"]} have a high or huge gain that costs high or huge effort.`),
    h("p", { class: "soft" }, `Every ranking is a point: its gain, ${data.gain}, against ${data.effort}, which is 1 where no effort is wasted (nothing stands in a wrong place) and 0 where all of it is. Columns are huge, high, medium and low effort, from left to right; rows are the quartiles of the gain.${data.left_out ? ` ${data.left_out} rankings have no value, and are no points.` : ""}`),
    controls(answer, app),
    h("div", { class: "two" },
      h("section", {}, h("h2", {}, `Effort and gain: ${data.of_points} rankings`), parts.grid, h("p", { class: "soft" }, `${data.points ? "Drag to brush rankings; click one to see it beside that of B." : "A cell is of several rankings, the darker the more: click one to zoom in, drag to brush."} Percentages are shares of all rankings; orange: gain that costs much, green: gain and effort agree.`)),
      h("section", {}, h("h2", {}, data.chosen < data.of_points ? `${data.chosen} rankings` : "All rankings"), h("p", { class: "soft" }, `Those on which gain and effort disagree most first. ${data.effort}: ${NONE_WASTED}.`), parts.list)),
    h("section", {}, h("h2", {}, "Curves of the first rankings of the list"), parts.curves),
    h("section", {}, h("h2", {}, `Indicators of CRP of A, ${answer.frame.a}`), parts.lines));
  grid(parts.grid, answer, app);
  list(parts.list, data, app);
  if (!parts.curves.childElementCount) parts.curves.append(h("p", { class: "soft" }, "Being drawn …"));
  return {
    tests(later) {
      if (later.why_not) { parts.curves.replaceChildren(h("p", { class: "error" }, later.why_not)); return; }
      multiples(parts.curves, later.multiples, data, app);
      indicators(parts.lines, later.indicators, answer, app);
    },
  };
}

function controls({ data, frame }, app) {
  const state = app.state();
  const areas = data.areas.map((one) => [one.area, `${one.area}: ${one.what_it_holds} (${percent(one.share)})`]);
  const quadrants = data.quadrants.map((one) => [one.quadrant, `${one.quadrant} (${percent(one.share)})`]);
  const effort = h("input", { id: "effort-measure", list: "measure-names", size: "14", spellcheck: "false", value: data.effort, onchange: () => app.set({ effort: effort.value.trim() === "Twist" ? "" : effort.value.trim() }) });
  const button = (id, text, changes) => h("button", { id, type: "button", onclick: () => app.set(changes) }, text);
  return h("div", { class: "controls row" },
    h("span", {}, h("label", { for: "pick-whose" }, "Rankings of "), select([["all", "all runs"], ["a", `A ${frame.a}`], ["b", `B ${frame.b}`]], state.whose ?? "all", (whose) => app.set({ whose: whose === "all" ? "" : whose }), { id: "pick-whose" })),
    h("span", {}, h("label", { for: "pick-area" }, "Area "), select([["", "all"], ...areas, ...quadrants], state.area ?? "", (area) => app.set({ area }), { id: "pick-area" })),
    h("span", {}, h("label", { for: "effort-measure" }, "Effort measured by "), effort),
    state.box ? [state.zoom ? button("zoom", "Zoom out", { zoom: "" }) : button("zoom", "Zoom in", { zoom: "1" }), button("unbrush", "Let the brush go", { box: "", zoom: "" })] : null,
    data.chosen_topics.length && data.chosen_topics.length < Math.min(frame.topics, app.page.offered.most_topics + 1) && data.chosen_topics.length !== app.topics().length ? h("button", { type: "button", id: "brush-topics", onclick: () => app.brush(data.chosen_topics) }, `Brush their ${data.chosen_topics.length} topics everywhere`) : null);
}

function grid(place, { data }, app) {
  const state = app.state();
  const [across, up] = [data.effort_axis, data.gain_axis];
  const setBox = (ends) => app.set(ends ? { box: ends.map(Number).join(":") } : { box: "", zoom: "" });
  let items;
  let draw;
  if (data.points) {
    const of = data.points;
    const chosen = data.chosen < of.run.length ? new Set(of.chosen) : null;
    items = of.run.map((run, row) => ({ x: of.effort[row], y: of.gain[row], key: row, run: of.runs[run], topic: of.topics[of.topic[row]],
      get text() { return `${this.run}, topic ${this.topic}: ${data.effort} ${digits(this.x)}, ${data.gain} ${digits(this.y)}`; } }));
    const radius = items.length > 2000 ? 2 : 3;
    const some = (want) => items.filter((item) => (chosen === null || chosen.has(item.key)) === want);
    draw = (context_) => {
      const { context, x, y, colour } = context_;
      const dots = (list_, ink, alpha) => { context.fillStyle = colour(ink); context.globalAlpha = alpha; for (const item of list_) context.fillRect(x(item.x) - radius, y(item.y) - radius, 2 * radius, 2 * radius); context.globalAlpha = 1; };
      dots(some(false), "soft", 0.25);
      dots(some(true), "accent", items.length > 2000 ? 0.5 : 0.8);
    };
    items = [...items].sort((one, other) => one.x - other.x || one.y - other.y);
  } else {
    const { effort_edges: sides, gain_edges: heights, counts } = data.cells;
    const most = Math.max(...counts.map(([, , count]) => count));
    items = counts.map(([column, row, count, chosen]) => {
      const [left, right, low, high] = [sides[column], sides[column + 1], heights[row], heights[row + 1]];
      return { x: (left + right) / 2, y: (low + high) / 2, left, right, low, high, count, chosen, key: `${column},${row}`,
        text: `${count} rankings, ${chosen} of them chosen: ${data.effort} ${digits(left, 3)} to ${digits(right, 3)}, ${data.gain} ${digits(low, 3)} to ${digits(high, 3)}` };
    });
    draw = ({ context, x, y, colour }) => {
      for (const item of items) {
        context.fillStyle = colour(item.chosen ? "accent" : "soft");
        context.globalAlpha = 0.15 + (0.85 * Math.log1p(item.chosen || item.count)) / Math.log1p(most);
        context.fillRect(x(item.left), y(item.high), Math.max(1, x(item.right) - x(item.left) - 1), Math.max(1, y(item.low) - y(item.high) - 1));
      }
      context.globalAlpha = 1;
    };
  }
  const brushedBox = state.box && !state.zoom ? state.box.split(":").map(Number) : null;
  plot(place, {
    keep: "effort-chart",
    label: `${data.of_points} rankings: ${data.effort} across, from all effort wasted at the left to none at the right, gain (${data.gain}) up; drag or hold Shift with the arrow keys to brush, Enter opens`,
    height: 460,
    x: { domain: across, title: `${data.effort} (${NONE_WASTED})` },
    y: { domain: up, title: `${data.gain} (gain)` },
    marks: [quadrants(data), draw, shares(data), ({ context, x, y, colour }) => {
      if (!brushedBox) return;
      const [l, r, b, t] = brushedBox;
      context.strokeStyle = colour("ink"); context.lineWidth = 1.5; context.strokeRect(x(l), y(t), x(r) - x(l), y(b) - y(t));
    }],
    items, brush: "xy",
    brushed: (keys, box) => {
      if (box) { const within = (value, [low, high]) => Math.min(high, Math.max(low, value)); setBox([...box.x.map((value) => within(value, across)), ...box.y.map((value) => within(value, up))]); return; }
      const taken = new Set(keys);
      const some = items.filter((item) => taken.has(item.key));
      const ends = (low, high) => [Math.min(...some.map((item) => item[low])), Math.max(...some.map((item) => item[high]))];
      setBox(some.length ? (data.points ? [...ends("x", "x"), ...ends("y", "y")] : [...ends("left", "right"), ...ends("low", "high")]) : null);
    },
    open: (key, item) => { if (data.points) app.openTopic(item.topic, item); else app.set({ box: [item.left, item.right, item.low, item.high].join(":"), zoom: "1" }); },
  });
}

const edges = (cuts, [low, high]) => [Math.min(low, cuts[0]), ...cuts, Math.max(high, cuts.at(-1))];
function each(data, act) {
  const [columns, rows] = [edges(data.effort_cuts, [0, 1]), edges(data.gain_cuts, data.gain_limits[1] <= 1 ? [data.gain_limits[0], 1] : data.gain_limits)];
  for (const one of data.quadrants) act(one, columns[one.column], columns[one.column + 1], rows[one.row], rows[one.row + 1]);
}
const quadrants = (data) => ({ context, x, y, colour }) => {
  context.lineWidth = 1;
  each(data, (one, left, right, low, high) => {
    context.fillStyle = colour(SHADES[one.area]); context.globalAlpha = one.area === "diagonal" || one.area === "high-high" ? 0.12 : 0.05;
    context.fillRect(x(left), y(high), x(right) - x(left), y(low) - y(high));
    context.globalAlpha = 1; context.strokeStyle = colour("soft"); context.strokeRect(x(left), y(high), x(right) - x(left), y(low) - y(high));
  });
};
// Shares in the corner of each quadrant that has room, over the points.
const shares = (data) => ({ context, x, y, colour, left: from, width }) => {
  context.textAlign = "left"; context.textBaseline = "top"; context.lineWidth = 3;
  each(data, (one, left, right, low, high) => {
    if (y(low) - y(high) < 16 || x(left) < from - 1 || x(left) > from + width - 30) return;
    context.strokeStyle = colour("ground"); context.fillStyle = colour("ink");
    context.strokeText(percent(one.share), x(left) + 4, y(high) + 3);
    context.fillText(percent(one.share), x(left) + 4, y(high) + 3);
  });
};

function list(place, data, app) {
  const of = Object.fromEntries(data.columns.map((name, at) => [name, at]));
  const rows = data.listed.map((cells, row) => ({ row, cells }));
  const cell = (name) => ({ cells }) => cells[of[name]];
  const number = (name, show, title, shown = name) => ({ id: name, name: shown, title, number: true, cell: ({ cells }) => show(cells[of[name]]), sort: cell(name) });
  const text = (name, title) => ({ name, title, cell: cell(name), sort: cell(name) });
  app.topicOrder = [...new Set(data.listed.map((cells) => cells[of.topic]))];
  table(place, app, "rankings", {
    caption: `${data.chosen > rows.length ? `The first ${rows.length} of ${data.chosen}` : rows.length} rankings`, rows, key: ({ row }) => row, height: 420,
    opened: (row) => app.openTopic(data.listed[row][of.topic], { run: data.listed[row][of.run] }),
    columns: [
      { name: "topic", cell: ({ cells }) => h("a", { href: app.link("ranking", { a: cells[of.run] }, cells[of.topic]) }, cells[of.topic]), sort: cell("topic") },
      text("run"), number("effort", digits, `${data.effort}: 1 where no effort is wasted, 0 where all is`, data.effort), number("gain", digits, `Gain: ${data.gain}`, data.gain),
      number("disagreement", (value) => signed(value, 2), `Share of rankings with less gain, less ${data.effort}: above 0 it looks better by its gain than by what it costs in effort`),
      text("quadrant"),
    ],
  });
}

// Small curves of CRP and DCG, as many as there are.
function multiples(place, drawn, of, app) {
  if (!drawn.length) { place.replaceChildren(h("p", { class: "soft" }, "No ranking is chosen, or nothing is relevant.")); return; }
  const box = h("div", { class: "multiples" });
  place.replaceChildren(box, h("p", { class: "soft" }, `${of.effort}: ${NONE_WASTED}. CRP above, ${drawn[0].dcg_measure} below, over ranks. Dotted: the full scale of CRP, ${drawn[0].dcg_measure} of the ideal ranking, and the recall base.`));
  for (const one of drawn) {
    const [above, below] = [h("div"), h("div")];
    box.append(h("article", {}, h("h3", {}, h("button", { type: "button", onclick: () => app.openTopic(one.topic, { run: one.run }) }, `${one.run}, topic ${one.topic}`)),
      h("p", { class: "soft" }, `${of.effort} ${digits(one.effort)}, ${of.gain} ${digits(one.gain)}`), above, below));
    const pairs = (columns, name) => columns.rank.map((rank, at) => [rank, columns[name][at]]);
    const x = { domain: [1, Math.max(2, one.last)] };
    const base = one.recall_base <= one.last ? marks.rule({ x: one.recall_base }, "soft", [2, 3]) : () => {};
    const [low, high] = [Math.min(0, ...one.crp.CRP), Math.max(1, ...one.crp.CRP)];
    plot(above, { still: true, height: 90, label: `CRP of ${one.run} on topic ${one.topic}, from ${low} to ${high}`, x: { ...x, hidden: true }, y: { domain: [low, high], title: "CRP", ticks: -low < 0.2 * (high - low) ? [0, high] : [low, 0], room: ROOM },
      marks: [marks.rule({ y: 0 }, "soft"), base, marks.line(pairs(one.crp, "full_scale"), "soft", [1, 3]), marks.line(pairs(one.crp, "CRP"))] });
    const most = Math.max(...one.dcg.ideal_DCG, ...one.dcg.DCG, 1e-9);
    plot(below, { still: true, height: 100, label: `${one.dcg_measure} of ${one.run} on topic ${one.topic}: ${digits(one.dcg.DCG.at(-1))} at rank ${one.last}, that of the ideal ranking ${digits(one.dcg.ideal_DCG.at(-1))}`, x: { ...x, title: "rank" }, y: { domain: [Math.min(0, ...one.dcg.DCG), most], title: "DCG", ticks: [0, most], room: ROOM },
      marks: [base, marks.line(pairs(one.dcg, "ideal_DCG"), "soft", [1, 3]), marks.line(pairs(one.dcg, "DCG"))] });
  }
}

function indicators(place, data, { frame }, app) {
  if (!data.topics.length) { place.replaceChildren(h("p", { class: "soft" }, "No topic of A has a relevant document.")); return; }
  const ranges = Object.fromEntries((app.state().axes ?? "").split(",").filter(Boolean).map((text) => { const [name, low, high] = text.split(":"); return [name, [Number(low), Number(high)]]; }));
  const brushed = (changed) => app.set({ axes: Object.entries(changed).filter(([, range]) => range).map(([name, [low, high]]) => `${name}:${low}:${high}`).join(",") });
  const some = Object.keys(ranges).length > 0;
  const within = some ? new Set(data.passing.map((row) => data.topics[row])) : null;
  const shown = (axis, row) => (axis === 0 ? data.values[0][row] / data.largest : data.values[axis][row]);
  const lines = data.topics.map((topic, row) => ({ key: topic, values: data.values.map((column, axis) => (column[row] === null ? null : shown(axis, row))),
    get text() { return `Topic ${topic}: ${data.axes.map((name, axis) => `${name} ${axis === 0 ? data.values[0][row] : digits(data.values[axis][row])}`).join(", ")}`; } }));
  const chart = h("div");
  const names = within ? [...within] : [];
  place.replaceChildren(
    h("p", { class: "controls row" },
      h("span", {}, `${some ? `${data.within} of ${data.of_topics} topics are within the brushed ranges` : `${data.of_topics} topics`}${data.topics.length < data.of_topics ? `; ${data.topics.length} lines are drawn, evenly spaced by rho` : ""}.`),
      some ? h("button", { type: "button", id: "axes-clear", onclick: () => app.set({ axes: "" }) }, "Show all lines") : null,
      some && names.length && names.length === data.within ? h("button", { type: "button", id: "axes-topics", onclick: () => app.brush(names) }, `Brush these ${names.length} topics everywhere`) : null),
    chart,
    h("p", { class: "soft" }, "A line is a topic. Drag along an axis to keep the lines that go through; click a line to see its rankings. Arrows up and down walk through lines, left and right through axes; Shift with up and down brushes, Enter takes it. rho, b_ratio, CRP_min and CRP_N: the higher, the less effort; triangles: values beyond 0 or 1; thick: brushed topics."));
  parallel(chart, {
    keep: "indicators", height: 300, names: data.axes, labels: data.labels, lines, within, ranges, brushed, selected: new Set(app.topics()), open: app.openTopic,
    label: `Parallel coordinates of ${data.topics.length} topics of ${frame.a}: ${data.labels.join(", ")}; ${data.within} of ${data.of_topics} topics are within the brushed ranges`,
  });
}
