// Two rankings side by side: ranks coloured by grade, unjudged ones hatched, shared documents joined by lines.

import { h, svg } from "./dom.js";

const ROW = 28; // pixels
const BETWEEN = 64;

export const shade = (grade, levels) => {
  if (grade === null) return "unjudged";
  if (grade <= 0) return "grade0";
  const positive = levels.filter((level) => level > 0);
  const place = positive.indexOf(grade) < 0 ? positive.length - 1 : positive.indexOf(grade);
  return `grade${Math.min(4, 1 + Math.round((place / Math.max(1, positive.length - 1)) * 3))}`;
};
const words = (grade) => (grade === null ? "unjudged" : `grade ${grade}`);

// settings: app; act(side, rank, document, grade) gives the buttons of a row; pointed(rank) follows the rank cursor.
export function lists(place, data, { act = null, pointed = null } = {}) {
  const { a, b } = data.sides;
  const rows = Math.max(a.documents.length, b.documents.length);
  const place_of = (documents) => new Map(documents.map((name, row) => [name, row]));
  const inB = place_of(b.documents);
  const lines = a.documents.flatMap((name, row) => (inB.has(name) ? [[row, inB.get(name), a.grades[row]]] : []));
  const one = (side, key) => h("ol", { class: `ranking ${key}`, "aria-label": `Ranking of ${key.toUpperCase()}, ${side.run}` },
    side.documents.map((name, row) => item(side, key, name, row)));
  function item(side, key, name, row) {
    const grade = side.grades[row];
    const there = side.elsewhere[row];
    const move = there === null ? "only here" : there === row + 1 ? "same rank" : `rank ${there} in ${key === "a" ? "B" : "A"}`;
    return h("li", { class: shade(grade, data.levels), dataset: { rank: String(row + 1) }, onpointerenter: () => point(row + 1), onfocusin: () => point(row + 1) },
      h("span", { class: "rank" }, String(row + 1)),
      h("span", { class: "document", title: `${name}: ${words(grade)}, ${move}` }, name),
      h("span", { class: "grade" }, grade === null ? "?" : String(grade)),
      act ? act(key, row + 1, name, grade) : null,
      h("span", { class: "spoken" }, `${words(grade)}, ${move}`));
  }
  const height = rows * ROW;
  const joins = svg("svg", { class: "joins", viewBox: `0 0 ${BETWEEN} ${height}`, height: String(height), width: String(BETWEEN), "aria-hidden": "true", preserveAspectRatio: "none" },
    lines.map(([from, to, grade]) => svg("path", { class: `join ${shade(grade, data.levels)} ${from === to ? "level" : from < to ? "up" : "down"}`,
      d: `M0,${(from + 0.5) * ROW} C${BETWEEN / 2},${(from + 0.5) * ROW} ${BETWEEN / 2},${(to + 0.5) * ROW} ${BETWEEN},${(to + 0.5) * ROW}` })));
  const box = h("div", { class: "lists" }, h("p", { class: "names" }, h("strong", {}, `A ${a.run}`), h("span"), h("strong", {}, `B ${b.run}`)), one(a, "a"), joins, one(b, "b"));
  place.replaceChildren(box, key(data.levels));
  const point = (rank) => {
    for (const row of box.querySelectorAll("li")) row.classList.toggle("at", row.dataset.rank === String(rank));
    pointed?.(rank);
  };
  return { point: (rank) => { for (const row of box.querySelectorAll("li")) row.classList.toggle("at", row.dataset.rank === String(rank)); } };
}

function key(levels) {
  const shown = [...levels.filter((level) => level >= 0), null];
  return h("p", { class: "key soft" }, "Grades: ", shown.map((grade) => h("span", { class: `swatch ${shade(grade, levels)}` }, grade === null ? "unjudged" : String(grade))));
}
