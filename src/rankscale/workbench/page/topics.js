// Topics: a heat map of runs and topics, difficulty against discrimination, groups of topics, and a list.

import { digits, h, select, shortNames, signed } from "./dom.js";
import { cells, key } from "./heat.js";
import { marks, plot } from "./plot.js";
import { table } from "./table.js";

const NEAR = 24; // topics shown around a column that is opened
const ORDERS = [["difficulty", "difficulty"], ["name", "name"], ["spread", "spread between runs"], ["difference", "A less B"]];
const FIRST = { difficulty: "the easiest first", name: "by name", spread: "the largest spread between runs first", difference: "the lowest A less B first" };
const AXES = [["correlation", "correlation with the other topics"], ["spread", "spread between runs"]];

export function render(content, answer, app) {
  const { data, frame } = answer;
  const brushed = new Set(app.topics());
  const field = content.querySelector("#topic-search");
  const typed = field && field === document.activeElement ? field.value : app.state().search ?? ""; // letters that came since
  const parts = Object.fromEntries(["map", "scatter", "groups", "list"].map((name) => [name, h("div")]));
  app.topicOrder = data.topics;
  content.replaceChildren(
    controls(answer, app, typed),
    h("p", { class: "soft" }, heading(data, frame, brushed.size)),
    h("section", { class: "wide" }, h("h2", {}, title(data, frame, app)), windows(data, app), parts.map,
      h("p", { class: "soft" }, binned(data) ? "A column is the mean of neighbouring topics: click one to see its topics; drag to brush topics." : "Click a cell to see its ranking beside that of B; drag to brush topics.")),
    h("div", { class: "two" }, h("section", {}, h("h2", {}, "Difficulty against discrimination"), parts.scatter), data.by_group ? h("section", {}, h("h2", {}, "Means by group"), parts.groups) : null),
    h("section", {}, h("h2", {}, "Topics"), parts.list));
  if (!data.topics.length) { parts.map.append(h("p", {}, "No topic matches: choose another group, or other letters.")); return {}; }
  heatMap(parts.map, answer, app, brushed);
  scatter(parts.scatter, answer, app, brushed);
  if (data.by_group) groups(parts.groups, answer, app);
  list(parts.list, data, app, brushed);
  return {};
}

const binned = (data) => data.columns.length - 1 < data.topics.length;
const title = (data, frame, app) => `${frame.measure.text} by run and topic${app.state().by === "median" ? ", less the topic's median" : ""}`;
function heading(data, frame, brushed) {
  const of = data.matching === frame.topics ? `${frame.topics} topics` : `${data.matching} of ${frame.topics} topics match`;
  return `${data.runs.length} run${data.runs.length === 1 ? "" : "s"}, ${of}${brushed ? `; ${brushed} are brushed` : ""}.`;
}

// Orders and filters; each is a part of the address. The window starts anew where topics change.
function controls({ data }, app, typed) {
  const state = app.state();
  const anew = { start: "", window: "" };
  const pick = (id, label, options, standard, changes = {}) => h("span", {}, h("label", { for: `pick-${id}` }, `${label} `),
    select(options, state[id] ?? standard, (value) => app.set({ [id]: value === standard ? "" : value, ...changes }), { id: `pick-${id}` }));
  const search = h("input", { id: "topic-search", type: "search", "aria-label": "Topics by name or words of the query", placeholder: "topic or words", value: typed,
    oninput: () => app.soon({ search: search.value.trim(), ...anew }) });
  return h("div", { class: "controls row" },
    pick("by", "Cells", [["value", "value"], ["median", "less the topic's median"]], "value"),
    pick("order", "Topics by", ORDERS, "difficulty", anew),
    pick("rows", "Runs by", [["mean", "mean"], ["name", "name"]], "mean"),
    data.group_names.length ? pick("group", "Group", [["", "all"], ...data.group_names.map((name) => [name, name])], "", anew) : null,
    search,
    state.topics ? h("button", { type: "button", id: "only", "aria-pressed": String(state.only === "1"), onclick: () => app.set({ only: state.only === "1" ? "" : "1", ...anew }) }, "Brushed topics alone") : null,
    (state.search || state.group) && data.topics.length ? h("button", { type: "button", onclick: () => app.brush(data.topics) }, `Brush these ${data.topics.length}`) : null);
}

// Where topics are more than can be seen, some neighbours at a time.
function windows(data, app) {
  const [shown, all] = [data.topics.length, data.matching];
  if (shown === all) return null;
  const to = (start, size) => app.set({ start: start > 0 ? String(start) : "", window: size >= all ? "" : String(size) });
  const button = (id, text, start, size, off) => h("button", { id, type: "button", disabled: off, onclick: () => to(Math.max(0, start), size) }, text);
  return h("p", { class: "controls" }, `Topics ${data.start + 1} to ${data.start + shown} of ${all} `,
    button("window-before", "◀ Before", data.start - shown, shown, data.start === 0), " ", button("window-after", "After ▶", data.start + shown, shown, data.start + shown >= all), " ",
    button("window-wider", "Wider", data.start - shown, 3 * shown, false), " ", button("window-all", "All topics", 0, all, false));
}

function heatMap(place, { data, frame }, app, brushed) {
  const median = app.state().by === "median";
  const flat = data.cells.flat().filter((value) => value !== null);
  const [least, most] = flat.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const far = Math.max(Math.abs(least), Math.abs(most)) || 1;
  const scale = median ? { low: -far, high: far, middle: 0, swapped: data.low_is_good } : { low: Math.min(0, least), high: most > 0 ? most : least + 1 };
  const columns = data.columns.length - 1;
  const short = shortNames(data.runs);
  const named = data.runs.map((run, row) => (run === frame.a ? `A ${short[row]}` : run === frame.b ? `B ${short[row]}` : short[row]));
  const within = (column) => data.topics.slice(data.columns[column], data.columns[column + 1]);
  const words = (row, column) => {
    const value = data.cells[row][column];
    const at = data.columns[column];
    const topics = within(column);
    const what = topics.length > 1 ? `${topics.length} topics, ${topics[0]} to ${topics.at(-1)}` : `topic ${topics[0]}${data.queries[at] ? `, ${data.queries[at]}` : ""}`;
    const number = value === null ? "no value" : median ? `${signed(value)} against the median` : topics.length > 1 ? `mean ${digits(value)}` : `${digits(value)} (median ${digits(data.median[at])})`;
    return `${data.runs[row]}, ${what}: ${number}`;
  };
  const items = data.cells.flatMap((cells_, row) => cells_.map((_, column) => ({ x: column, y: data.runs.length - 1 - row, key: column, run: data.runs[row], get text() { return words(row, column); } })));
  const chart = h("div");
  place.append(key(scale, median ? "less the median:" : `${frame.measure.text}:`, flat.length < items.length), chart);
  plot(chart, {
    keep: "heat-map",
    label: `Heat map of ${data.runs.length} runs and ${data.topics.length} topics, values from ${digits(least)} to ${digits(most)}; arrow keys walk through cells, Enter opens one`,
    height: Math.min(720, Math.max(150, data.runs.length * (data.runs.length > 60 ? 5 : data.runs.length > 10 ? 18 : 30) + 50)),
    grid: columns,
    x: { names: data.columns.slice(0, -1).map((at) => data.topics[at]), title: `topic, ${FIRST[app.state().order ?? "difficulty"]}` },
    y: { names: named.toReversed(), always: [frame.a, frame.b].map((run) => data.runs.length - 1 - data.runs.indexOf(run)) },
    marks: [cells(data.cells, scale)],
    items, brush: "x",
    selected: new Set(brushed.size ? items.slice(0, columns).map((item) => item.key).filter((column) => within(column).some((topic) => brushed.has(topic))) : []),
    brushed: (keys) => app.brush(keys.length === columns ? [] : keys.flatMap(within)),
    open: (column, item) => {
      const topics = within(column);
      if (topics.length === 1) { app.openTopic(topics[0], { run: item.run === frame.b ? "" : item.run }); return; }
      const size = Math.max(2 * NEAR, topics.length);
      app.set({ start: String(Math.max(0, data.start + data.columns[column] - Math.floor((size - topics.length) / 2))), window: String(size) });
    },
  });
}

function scatter(place, { data }, app, brushed) {
  const chosen = app.state().against ?? "correlation";
  const few = data.runs.length < 3;
  const against = few ? "spread" : chosen;
  const rows = data.topics.map((_, row) => row).filter((row) => data.difficulty[row] !== null && data[against][row] !== null);
  const words = (row) => `Topic ${data.topics[row]}${data.queries[row] ? `, ${data.queries[row]}` : ""}: mean ${digits(data.mean[row])}, difficulty ${digits(data.difficulty[row])}, correlation ${digits(data.correlation[row])}, spread ${digits(data.spread[row])}`;
  const dots = rows.map((row) => ({ x: data.difficulty[row], y: data[against][row], key: data.topics[row], get text() { return words(row); } }));
  const ends = (values, low, high) => values.reduce(([from, to], value) => [Math.min(from, value), Math.max(to, value)], [low, high]);
  const across = ends(dots.map((dot) => dot.x), Infinity, -Infinity);
  const chart = h("div");
  place.append(
    h("p", { class: "controls" }, h("label", { for: "pick-against" }, "Discrimination "), select(AXES, against, (value) => app.set({ against: value === "correlation" ? "" : value }), { id: "pick-against", disabled: few })),
    chart,
    h("p", { class: "soft" }, `Difficulty is ${data.difficulty_words} over runs. Correlation: of a topic's values with the runs' means over all other topics; topics near 1 order runs as the others do, those below 0 reverse them. Spread: standard deviation over runs.${few ? " With fewer than three runs there is no correlation." : ""}`));
  if (!dots.length) { chart.append(h("p", { class: "soft" }, "No topic has both.")); return; }
  plot(chart, {
    keep: "topic-scatter",
    label: `${dots.length} topics: difficulty across, ${against} up; drag or hold Shift with the arrow keys to brush topics, Enter opens one`,
    height: 320,
    x: { domain: across[1] > across[0] ? across : [across[0] - 0.5, across[0] + 0.5], title: `difficulty (${data.difficulty_words})` },
    y: { domain: ends(dots.map((dot) => dot.y), 0, against === "correlation" ? 1 : 1e-9), title: against },
    marks: [against === "correlation" ? marks.rule({ y: 0 }, "soft") : () => {}, marks.points(dots, dots.length > 1000 ? 2 : 3.5)],
    items: dots.sort((one, other) => one.x - other.x), brush: "xy", selected: brushed, open: app.openTopic,
    brushed: (names) => app.brush(names.length === dots.length ? [] : names),
  });
}

function groups(place, { data, frame }, app) {
  const { rows, topics, a, b } = data.by_group;
  const filter = (name) => (data.group_names.includes(name) ? h("a", { href: app.link("topics", { group: name, start: "", window: "" }) }, name) : name);
  table(place, app, "groups", {
    caption: "Means over the topics of each group; (micro) over all topics, (macro) over groups", rows: rows.map((_, row) => row), height: 320, key: (row) => rows[row], marked: (row) => rows[row] === app.state().group,
    columns: [
      { name: "group", cell: (row) => filter(rows[row]), sort: (row) => rows[row] },
      { name: "topics", number: true, cell: (row) => String(topics[row]), sort: (row) => topics[row] },
      { name: "A", title: frame.a, number: true, cell: (row) => digits(a[row]), sort: (row) => a[row] },
      { name: "B", title: frame.b, number: true, cell: (row) => digits(b[row]), sort: (row) => b[row] },
      { name: "A less B", number: true, cell: (row) => less(a[row], b[row]), sort: (row) => (a[row] === null || b[row] === null ? null : a[row] - b[row]) },
    ],
  });
}
const less = (a, b) => (a === null || b === null ? "–" : signed(a - b));

function list(place, data, app, brushed) {
  const number = (name, values, show = digits, title_ = undefined) => ({ name, title: title_, number: true, cell: (row) => show(values[row]), sort: (row) => values[row] });
  const difference = data.a.map((value, row) => (value === null || data.b[row] === null ? null : value - data.b[row]));
  table(place, app, "topics", {
    caption: `${data.topics.length} topics`, rows: data.topics.map((_, row) => row), key: (row) => data.topics[row], marked: (row) => brushed.has(data.topics[row]), opened: app.openTopic,
    columns: [
      { name: "topic", cell: (row) => h("a", { href: app.link("ranking", {}, data.topics[row]) }, data.topics[row]), sort: (row) => data.topics[row] },
      ...(data.queries.length ? [{ name: "query", cell: (row) => data.queries[row], sort: (row) => data.queries[row] }] : []),
      ...(data.groups.length ? [{ name: "group", cell: (row) => data.groups[row], sort: (row) => data.groups[row] }] : []),
      number("mean", data.mean, digits, "Over runs"), number("median", data.median), number("spread", data.spread, digits, "Standard deviation over runs"),
      number("correlation", data.correlation, digits, "With the runs' means over the other topics"),
      number("A", data.a), number("B", data.b), number("A less B", difference, signed),
    ],
  });
}
