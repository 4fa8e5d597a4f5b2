// Overview: the leaderboard as a picture. Means come first; intervals, places and tests when they are there.

import { digits, h, pText, signed, svg } from "./dom.js";
import { table } from "./table.js";

const WIDTH = 240; // of the column of dots, in pixels

export function render(content, { data, frame }, app) {
  const headline = h("p", { class: "headline" }, data.runs.length ? `${data.runs[0]} has the best mean ${frame.measure.text}.` : "");
  const caution = h("div");
  const place = h("div");
  content.replaceChildren(headline, caution, place);
  let tests = null;
  const rows = data.runs.map((run, row) => ({ run, row }));
  const [low, high] = domain();
  function domain() {
    const ends = data.means.filter((value) => value !== null);
    const within = tests?.intervals?.flat().filter((value) => value !== null) ?? [];
    const [least, most] = [Math.min(...ends, ...within), Math.max(...ends, ...within)];
    const spare = (most - least || 1) * 0.04;
    return [least - spare, most + spare];
  }
  const x = (value, [from, to]) => ((value - from) / (to - from || 1)) * WIDTH;
  function dot(row, ends) {
    const mean = data.means[row];
    if (mean === null) return "–";
    const [lower, upper] = tests?.intervals?.[row] ?? [null, null];
    const best = x(data.means[0], ends);
    const words = lower === null ? digits(mean) : `${digits(mean)}, 95% interval ${digits(lower)} to ${digits(upper)}`;
    return svg("svg", { class: "dots", width: String(WIDTH), height: "18", role: "img", "aria-label": words },
      svg("line", { class: "best", x1: String(best), x2: String(best), y1: "0", y2: "18" }),
      lower === null ? null : svg("line", { class: "interval", x1: String(x(lower, ends)), x2: String(x(upper, ends)), y1: "9", y2: "9" }),
      svg("circle", { cx: String(x(mean, ends)), cy: "9", r: "4" }), svg("title", {}, words));
  }
  const against = (row) => tests?.against_best?.[row] ?? null;
  function draw() {
    const ends = tests ? domain() : [low, high];
    const measured = frame.measure.text;
    table(place, app, "runs", {
      caption: `${data.runs.length} runs by ${measured}${data.low_is_good ? " (low is good)" : ""}`,
      height: Math.max(320, innerHeight - 330),
      rows,
      key: ({ run }) => run,
      marked: ({ run }) => run === frame.a || run === frame.b,
      columns: [
        { name: "run", cell: ({ run }) => [h("a", { href: app.link("compare", { a: run, b: run === frame.b ? frame.a : frame.b }) }, run), run === frame.a ? h("span", { class: "pin" }, "A") : run === frame.b ? h("span", { class: "pin" }, "B") : null], sort: ({ run }) => run },
        { name: "place", number: true, title: "Place by the mean, and the 95% interval of places over draws of topics", sort: ({ row }) => row, cell: ({ row }) => (tests?.place ? `${tests.place[row]} (${tests.place_lower[row]}–${tests.place_upper[row]})` : String(row + 1)) },
        { name: "mean", number: true, sort: ({ row }) => data.means[row], cell: ({ row }) => digits(data.means[row]) },
        { name: "mean and interval", cell: ({ row }) => dot(row, ends) },
        { id: "difference", name: tests?.best === undefined ? "less the best" : `${tests.ratio ? "over" : "less"} ${tests.best === data.runs[0] ? "the best" : tests.best}`, number: true, title: tests?.ratio ? "Ratio of geometric means" : "Difference of means", sort: ({ row }) => against(row)?.difference ?? 0,
          cell: ({ row }) => (tests?.ratio ? digits : signed)(against(row)?.difference ?? null) },
        { id: "p", name: tests ? `p (${tests.family})` : "p", number: true, title: "Bold where the two differ significantly", sort: ({ row }) => against(row)?.p ?? 2, cell: ({ row }) => { const one = against(row); return one ? h("span", { class: one.differs ? "differs" : "same" }, pText(one.p)) : "–"; } },
        { id: "judged", name: `judged@${data.judged_depth}`, number: true, title: "Share of the first documents that are judged", sort: ({ row }) => data.judged[row], cell: ({ row }) => h("span", { class: data.judged[row] < 0.8 ? "low" : undefined }, data.judged[row] === null ? "–" : `${Math.round(100 * data.judged[row])}%`) },
        { name: "topics", number: true, sort: ({ row }) => data.topics[row], cell: ({ row }) => `${data.topics[row]}${data.missing[row] ? ` (lacks ${data.missing[row]})` : ""}` },
        { name: "pin", cell: ({ run }) => ["a", "b"].map((side) => h("button", { type: "button", class: "small", "aria-label": `${run} as ${side.toUpperCase()}`, "aria-pressed": String(frame[side] === run), onclick: () => app.set(frame[side === "a" ? "b" : "a"] === run ? { a: frame.b, b: frame.a } : { a: frame.a, b: frame.b, [side]: run }) }, side.toUpperCase())) },
      ],
    });
  }
  draw();
  return {
    tests(data_) {
      if (data_.why_not) { caution.replaceChildren(h("p", { class: "soft" }, data_.why_not)); return; }
      tests = data_;
      headline.textContent = `${tests.headline} It is first in ${Math.round(100 * tests.first[0])}% of draws of topics.`;
      caution.replaceChildren(h("p", { class: "soft" }, `${tests.test}; p: ${tests.family}. `, h("details", { class: "inline" }, h("summary", {}, tests.caution), h("p", {}, tests.caution_in_full))));
      draw();
    },
  };
}
