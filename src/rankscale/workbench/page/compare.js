// Compare: differences of A and B by topic, values against each other, and what holds on brushed topics.

import { digits, h, pText, select, signed } from "./dom.js";
import { marks, plot } from "./plot.js";
import { table } from "./table.js";

const KINDS = { loss: "bad", win: "good", tie: "soft", lower: "bad", higher: "good", undefined: "soft" };
const BINS = 21;

export function render(content, { data, frame }, app) {
  const { a, b } = frame;
  const brushed = new Set(app.topics());
  const text = (row) => `Topic ${data.topics[row]}${data.queries[row] ? `, ${data.queries[row]}` : ""}: A ${digits(data.a_values[row])}, B ${digits(data.b_values[row])}, difference ${signed(data.differences[row])}`;
  app.topicOrder = data.topics;
  const rows = data.topics.map((topic, row) => row).filter((row) => data.differences[row] !== null);
  const summary = h("div", { class: "cards" });
  const bars = h("div");
  const scatter = h("div");
  const histogram = h("div");
  const list = h("div");
  const search = h("input", { type: "search", "aria-label": "Topics by name or words", placeholder: "topic or words", value: app.state().search ?? "", oninput: () => topics(search.value) });
  const tests = select(app.page.offered.tests.map((one) => [one.name, one.label]), app.state().test ?? "student", (name) => app.set({ test: name === "student" ? "" : name }), { id: "test", "aria-label": "Test" });
  content.replaceChildren(
    h("p", { class: "controls" }, h("label", { for: "test" }, "Test "), tests),
    summary,
    h("section", { class: "wide" }, h("h2", {}, `${frame.measure.text}: A less B, topic by topic`), bars,
      h("p", { class: "soft" }, "Drag to brush topics; click one to see its rankings.")),
    h("div", { class: "two" }, h("section", {}, h("h2", {}, "A against B"), scatter), h("section", {}, h("h2", {}, "Differences"), histogram)),
    h("section", {}, h("h2", {}, "Topics"), h("p", { class: "controls" }, search), list));

  const values = rows.map((row) => data.differences[row]);
  const most = Math.max(...values.map(Math.abs), 1e-9);
  const brush = (names) => app.brush(names.length === rows.length ? [] : names);
  const names = rows.map((row) => data.topics[row]);
  const first = plot(bars, {
    label: `Bars of ${rows.length} topics, from the largest loss of ${a} against ${b}, ${signed(values[0])}, to its largest win, ${signed(values.at(-1))}`,
    height: 260,
    x: { names, title: data.low_is_good ? "topic, the largest loss of A first (low is good)" : "topic, the largest loss of A first" },
    y: { domain: [Math.min(0, ...values), Math.max(0, ...values)], title: "A less B" },
    marks: [marks.bars(values, rows.map((row) => KINDS[data.outcomes[row]]), names), marks.rule({ y: 0 })],
    items: rows.map((row, at) => ({ x: at, y: data.differences[row], key: data.topics[row], text: text(row) })),
    brush: "x", brushed: brush, open: app.openTopic, selected: brushed,
  });
  const both = rows.flatMap((row) => [data.a_values[row], data.b_values[row]]);
  const ends = [Math.min(0, ...both), Math.max(...both, 1e-9)];
  const dots = rows.map((row) => ({ x: data.b_values[row], y: data.a_values[row], key: data.topics[row], text: text(row), kind: KINDS[data.outcomes[row]] }));
  plot(scatter, {
    label: `Values of ${a} (up) against those of ${b} (across), a point for each topic; above the line A is higher`,
    height: 300, x: { domain: ends, title: `B ${b}` }, y: { domain: ends, title: `A ${a}` },
    marks: [marks.line([[ends[0], ends[0]], [ends[1], ends[1]]], "line", [4, 3]), marks.points(dots)],
    items: dots, brush: "xy", brushed: brush, open: app.openTopic, selected: brushed,
  });
  const bins = Array.from({ length: BINS }, () => []);
  rows.forEach((row) => bins[Math.min(BINS - 1, Math.floor(((data.differences[row] + most) / (2 * most)) * BINS))].push(data.topics[row]));
  const middle = (bin) => -most + ((bin + 0.5) * 2 * most) / BINS;
  plot(histogram, {
    label: `Histogram of differences: ${data.all.losses} losses, ${data.all.ties} ties, ${data.all.wins} wins of A`,
    height: 300, x: { domain: [-most, most], title: "A less B" }, y: { domain: [0, Math.max(...bins.map((bin) => bin.length), 1)], title: "topics" },
    marks: [({ context, x, y, width, colour }) => bins.forEach((bin, at) => {
      if (!bin.length) return;
      context.fillStyle = colour(at === (BINS - 1) / 2 ? "soft" : middle(at) > 0 !== data.low_is_good ? "good" : "bad");
      const wide = width / BINS - 1;
      context.fillRect(x(middle(at)) - wide / 2, y(bin.length), wide, y(0) - y(bin.length));
    }), marks.rule({ x: 0 })],
    items: bins.map((bin, at) => ({ x: middle(at), y: bin.length, key: at, text: `${bin.length} topics with a difference near ${signed(middle(at), 3)}` })).filter((item) => item.y > 0),
    nearX: true, open: (at) => brush(bins[at]),
  });
  function topics(wanted) {
    const low = wanted.toLowerCase();
    const kept = data.topics.map((_, row) => row).filter((row) => data.topics[row].toLowerCase().includes(low) || (data.queries[row] ?? "").toLowerCase().includes(low));
    table(list, app, "differences", {
      caption: `${kept.length} of ${data.topics.length} topics`, rows: kept, key: (row) => data.topics[row], marked: (row) => brushed.has(data.topics[row]), opened: app.openTopic,
      columns: [
        { name: "topic", cell: (row) => h("a", { href: app.link("ranking", {}, data.topics[row]) }, data.topics[row]), sort: (row) => data.topics[row] },
        ...(data.queries.length ? [{ name: "query", cell: (row) => data.queries[row], sort: (row) => data.queries[row] }] : []),
        ...(data.groups.length ? [{ name: "group", cell: (row) => data.groups[row], sort: (row) => data.groups[row] }] : []),
        { name: "A", number: true, cell: (row) => digits(data.a_values[row]), sort: (row) => data.a_values[row] },
        { name: "B", number: true, cell: (row) => digits(data.b_values[row]), sort: (row) => data.b_values[row] },
        { name: "difference", number: true, cell: (row) => h("span", { class: KINDS[data.outcomes[row]] }, signed(data.differences[row])), sort: (row) => data.differences[row] },
      ],
    });
  }
  topics(search.value);
  cards(summary, data, frame, null);
  return {
    tests(tested) { cards(summary, { ...data, all: tested.all ?? data.all, brushed: tested.brushed ?? data.brushed }, frame, tested.why_not ?? ""); },
    first,
  };
}

// What the topics say together, and those that are brushed by themselves.
function cards(place, data, frame, problem) {
  const card = (title, about, exploratory) => {
    const test = about.test;
    const gap = about.ratio ? digits : signed; // of geometric means
    const better = about.difference === (about.ratio ? 1 : 0) ? "A and B are equal on average" : `${(about.difference > (about.ratio ? 1 : 0)) !== data.low_is_good ? "A" : "B"} is better on average`;
    const verdict = !test ? about.untested : test.differs ? `${better}, significantly (${test.family})` : `${better}; the test does not tell them apart (${test.family})`;
    const version = about.interval_version;
    return h("article", { class: exploratory ? "card exploratory" : "card" },
      h("h2", {}, title),
      h("p", { class: "verdict-line" }, verdict),
      h("dl", {},
        h("dt", {}, `A ${frame.a}`), h("dd", {}, digits(about.a)), h("dt", {}, `B ${frame.b}`), h("dd", {}, digits(about.b)),
        h("dt", {}, about.ratio ? "A over B" : "A less B"), h("dd", {}, gap(about.difference), test?.interval && test.compares === "mean" ? h("span", { class: "soft" }, ` (95%: ${gap(test.interval[0])} to ${gap(test.interval[1])})`) : null),
        h("dt", {}, "A wins, ties, loses"), h("dd", {}, `${about.wins}, ${about.ties}, ${about.losses} of ${about.topics} topics`),
        test && test.compares !== "mean" ? [h("dt", {}, `difference in ${test.compares}`), h("dd", {}, signed(test.difference), test.interval ? h("span", { class: "soft" }, ` (95%: ${signed(test.interval[0])} to ${signed(test.interval[1])})`) : null)] : null,
        test ? [h("dt", {}, test.name), h("dd", {}, `p ${test.p !== null && test.p < 0.0001 ? "" : "= "}${pText(test.p)}, ${test.family}`)] : null,
        Object.entries(test?.effects ?? {}).slice(0, 1).map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, digits(value, 2))]),
        h("dt", {}, "interval version"), h("dd", {}, version ? `${version.words}${version.holds === false ? " (differs)" : ""}${version.p === null ? "" : `, p ${version.p < 0.0001 ? "" : "= "}${pText(version.p)}`}` : problem ? problem : "being tested …")),
      about.caution ? h("p", { class: "soft" }, about.caution) : null,
      exploratory ? h("p", { class: "soft" }, "Exploratory: these topics were chosen after seeing their values, so p-values and intervals do not hold as they stand.") : null);
  };
  place.replaceChildren(card("All topics", data.all, false), data.brushed ? card("Brushed topics", data.brushed, true) : "");
}
