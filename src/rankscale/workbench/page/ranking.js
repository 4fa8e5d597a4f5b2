// Ranking: both lists of one topic, curves with one rank cursor, and what if: other judgments, documents that swap.

import { digits, h, select, signed } from "./dom.js";
import { lists } from "./lists.js";
import { marks, plot } from "./plot.js";
import { joined } from "./state.js";

let panelOpen = false; // stays while the view is drawn anew
let panelChoice = {};
const ROOM = 34; // pixels for the numbers of an axis, so that plots above one another align

export function render(content, { data, frame }, app) {
  const edits = new Map(data.judge);
  const changed = edits.size > 0 || data.swap.length > 0;
  const write = (map) => [...map].map(([document_, grade]) => `${joined([document_])}:${grade === null ? "-" : grade}`).join(",");
  const judge = (document_, grade) => { const next = new Map(edits); if (grade === "") next.delete(document_); else next.set(document_, grade === "-" ? null : Number(grade)); app.set({ judge: write(next) }); };
  const swap = (side, rank) => app.set({ swap: [...data.swap.map(([s, f, t]) => `${s}${f}-${t}`), `${side}${rank - 1}-${rank}`].join(",") });
  const grades = data.levels.filter((level) => level >= 0);
  const text = h("div", { class: "document-text", role: "region", "aria-label": "Text of the document", "aria-live": "polite" });
  function act(side, rank, name, grade) {
    const now = edits.has(name);
    return [
      data.has_texts ? h("button", { type: "button", class: "small", "aria-label": `Text of ${name}`, onclick: () => open(name) }, "text") : null,
      select([["", "as judged"], ...grades.map((level) => [String(level), `grade ${level}`]), ["-", "unjudged"]], now ? (edits.get(name) === null ? "-" : String(edits.get(name))) : "", (value) => judge(name, value), { class: now ? "what-if edited" : "what-if", "aria-label": `What if: grade of ${name}`, title: "What if it had another grade?" }),
      rank > 1 ? h("button", { type: "button", class: "small", "aria-label": `What if ${name} stood one rank higher`, title: "What if it stood one rank higher?", onclick: () => swap(side, rank) }, "↑") : null,
    ];
  }
  async function open(name) {
    text.replaceChildren(h("p", { class: "soft" }, "Reading …"));
    const answer = await fetch(`/document.json?${new URLSearchParams({ name })}`);
    const made = await answer.json();
    text.replaceChildren(h("h2", {}, name), made.text ? [h("h3", {}, made.text.title), h("p", {}, made.text.text)] : h("p", {}, "There is no text of this document."));
  }
  // What if for narrow pages, whose lists have no room for it: the same choices of one document at a time, which a click
  // on the list chooses, too.
  const panel = h("details", { class: "what-if-panel", id: "what-if" });
  let chosen = { side: "a", rank: 1 };
  function fillPanel() {
    const { documents, grades: given } = data.sides[chosen.side];
    const rank = Math.min(chosen.rank, documents.length);
    const choose = (changes) => { chosen = { ...chosen, ...changes }; panelChoice = { topic: data.topic, ...chosen }; fillPanel(); };
    const sides = select(["a", "b"].map((side) => [side, `${side.toUpperCase()} ${data.sides[side].run}`]), chosen.side, (side) => choose({ side, rank: 1 }), { id: "what-if-side" });
    const ranks = select(documents.map((name, row) => [String(row + 1), `${row + 1}: ${name} (${given[row] === null ? "unjudged" : `grade ${given[row]}`})`]), String(rank), (value) => choose({ rank: Number(value) }), { id: "what-if-document" });
    const had = panel.contains(document.activeElement) ? document.activeElement.id : "";
    panel.replaceChildren(h("summary", {}, "What if a document had another grade or rank?"),
      h("p", { class: "controls" }, h("label", { for: "what-if-side" }, "Ranking "), sides),
      ...(documents.length ? [h("p", { class: "controls" }, h("label", { for: "what-if-document" }, "Document "), ranks), h("p", { class: "controls acts" }, act(chosen.side, rank, documents[rank - 1], given[rank - 1]))] : [h("p", { class: "soft" }, "It has no document.")]));
    if (had) panel.querySelector(`#${had}`)?.focus({ preventScroll: true });
  }
  const [before, after] = data.neighbours;
  const go = (topic) => app.link("ranking", {}, topic);
  const values = h("table", {}, h("caption", {}, changed ? "Values on this topic, as they are and what if" : "Values on this topic"),
    h("thead", {}, h("tr", {}, ["measure", `A ${frame.a}`, `B ${frame.b}`, "A less B"].map((name, at) => h("th", { scope: "col", class: at ? "number" : undefined }, name)))),
    h("tbody", {}, data.measures.map((name, row) => {
      const of = (side) => { const was = data.values[side][row]; const is = data.changed_values?.[side][row]; return changed && is !== was ? [h("s", { class: "soft" }, digits(was)), " ", h("strong", {}, digits(is))] : digits(was); };
      const now = data.changed_values ?? data.values;
      return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, of("a")), h("td", { class: "number" }, of("b")), h("td", { class: "number" }, now.a[row] === null || now.b[row] === null ? "–" : signed(now.a[row] - now.b[row])));
    })));
  const listPlace = h("div");
  const charts = h("div", { class: "two" });
  const exported = new URLSearchParams({ ...app.state(), topic: data.topic });
  content.replaceChildren(
    h("p", { class: "controls" }, h("a", { href: go(before), class: "button" }, `◀ ${before}`), " ", h("a", { href: go(after), class: "button" }, `${after} ▶`), " ",
      h("span", { class: "soft" }, `${data.relevant} relevant (grade ${data.relevant_from} or more) of ${data.judged} judged documents.`)),
    h("p", {}, found(data)),
    changed ? h("p", { class: "notice" }, "What if: some judgments or places are changed on this page, and nowhere else. ", h("a", { href: `/qrels.txt?${exported}`, download: "qrels.txt" }, "Take the changed judgments as qrels"), " ", h("button", { type: "button", onclick: () => app.set({ judge: "", swap: "" }) }, "Undo all")) : "",
    h("div", { class: "table", role: "region", tabindex: "0", "aria-label": "Values on this topic" }, values),
    h("section", {}, h("h2", {}, "Both rankings"), h("p", { class: "controls" }, h("label", { for: "shown" }, "Ranks shown "), select(["10", "20", "50", "100", "200", "1000"].map((n) => [n, n]), app.state().shown ?? "50", (n) => app.set({ shown: n === "50" ? "" : n }), { id: "shown" })), panel, listPlace, text),
    h("section", {}, h("h2", {}, "Rank by rank"), charts));
  const cursors = [];
  const point = (rank) => { for (const cursor of cursors) cursor(rank); };
  const shownLists = lists(listPlace, data, { act, pointed: point });
  panel.open = panelOpen;
  panel.addEventListener("toggle", () => { panelOpen = panel.open; });
  chosen = { ...chosen, ...(panelChoice.topic === data.topic ? panelChoice : {}) };
  fillPanel();
  listPlace.addEventListener("click", (event) => {
    const row = event.target.closest("li[data-rank]");
    if (!row || event.target.closest("button, select, a")) return;
    chosen = { side: row.closest(".ranking").classList.contains("a") ? "a" : "b", rank: Number(row.dataset.rank) };
    panelChoice = { topic: data.topic, ...chosen };
    fillPanel();
  });
  for (const side of ["a", "b"]) charts.append(curves(data.sides[side], side, ends(data.sides), cursors, (rank) => { shownLists.point(rank); point(rank); }));
}

// What each of the two has of the relevant documents.
function found({ retrieved, relevant, sides }) {
  const one = (side, other, lacks) => `${side.toUpperCase()} has ${retrieved[side]} of the ${relevant} relevant documents among its ${sides[side].length}${lacks ? `, and lacks ${lacks} that ${other.toUpperCase()} has` : ""}.`;
  return `${one("a", "b", retrieved.only_b)} ${one("b", "a", retrieved.only_a)}`;
}

// CRP over its bar of relative positions, DCG over its bar of gains less the ideal ones, on one axis of ranks.
function curves(side, key, of_both, cursors, pointed) {
  const box = h("section", { class: "curves" }, h("h3", {}, `${key.toUpperCase()} ${side.run}`));
  const of = side.curves;
  if (!of) { box.append(h("p", { class: "soft" }, "Nothing is relevant here, or nothing was retrieved.")); return box; }
  const last = of.CRP.length;
  let cursor = null;
  const x = { domain: [0.5, last + 0.5], hidden: true };
  const ranks = (values) => values.map((value, row) => [row + 1, value]);
  const line = (draw) => { if (cursor) marks.rule({ x: cursor }, "accent")(draw); };
  const said = (row) => `Rank ${row + 1}: ${side.documents[row] ?? "nothing retrieved"}, grade ${side.grades[row] ?? "unjudged"}, RP ${of.RP[row]}, CRP ${of.CRP[row]}, ${of.dcg} ${digits(of.DCG[row])}, ideal ${digits(of.ideal_DCG[row])}`;
  const items = (values) => values.map((value, row) => ({ x: row + 1, y: value, key: row + 1, text: said(row) }));
  const one = (settings) => {
    const place = h("div");
    box.append(place);
    const drawn = plot(place, { x, nearX: true, pointed: (rank) => { if (rank !== undefined) pointed(rank); }, ...settings, y: { room: ROOM, ...settings.y }, marks: [...settings.marks, over, line] });
    cursors.push((rank) => { cursor = rank; drawn.redraw(); });
  };
  const [low, high] = of_both.CRP;
  const over = (draw) => { if (side.length < last) marks.rule({ x: side.length + 0.5 }, "bad", [6, 3])(draw); }; // where the ranking ends
  one({ label: `CRP of ${side.run}: lowest at rank ${of.turn_around}${of.balance === null ? ", never back to 0" : `, balance point at rank ${of.balance}`}`, height: 150,
    y: { domain: [low, high], title: "CRP" }, items: items(of.CRP),
    marks: [marks.rule({ y: 0 }, "soft"), of.recall_base <= last ? marks.rule({ x: of.recall_base }, "soft", [2, 3]) : () => {}, marks.line(ranks(of.full_scale).filter(([, value]) => value <= high), "soft", [1, 3]), marks.line(ranks(of.CRP))] });
  const bar = (name, title, height, axis, values = of[name]) => one({ label: title, height, x: axis ? { domain: x.domain, title: "rank" } : x, y: { domain: of_both[name], title }, items: items(values),
    marks: [({ context, x: across, y, width, colour }) => values.forEach((value, row) => { if (!value) return; context.fillStyle = colour(value < 0 ? "bad" : "good"); const wide = Math.max(1, width / last - 1); context.fillRect(across(row + 1) - wide / 2, Math.min(y(0), y(value)), wide, Math.abs(y(value) - y(0))); }), marks.rule({ y: 0 }, "soft")] });
  bar("RP", "RP", 80, false);
  one({ label: `${of.dcg} of ${side.run}: ${digits(of.DCG.at(-1))} at rank ${last}, that of the ideal ranking ${digits(of.ideal_DCG.at(-1))}`, height: 150,
    y: { domain: of_both.DCG, title: of.dcg }, items: items(of.DCG), marks: [marks.line(ranks(of.ideal_DCG), "soft", [1, 3]), marks.line(ranks(of.DCG))] });
  bar("difference", "less ideal", 110, true);
  box.append(h("p", { class: "soft" }, `Dotted: the full scale of CRP, the ideal ranking's DCG, and the recall base (${of.recall_base}). RP is below 0 where a document stands too early, above 0 where it comes too late.${side.length < last ? ` The ranking ends at rank ${side.length} (dashed): ranks below it hold nothing.` : ""}`));
  return box;
}

// Axes that both rankings share, so that they can be compared side by side.
function ends(sides) {
  const there = [sides.a.curves, sides.b.curves].filter(Boolean);
  const over = (...names) => { const values = there.flatMap((one) => names.flatMap((name) => one[name])); return [Math.min(0, ...values), Math.max(0, ...values, 1e-9)]; };
  const crp = over("CRP");
  return { CRP: [crp[0], Math.max(1, crp[1])], RP: over("RP"), DCG: over("DCG", "ideal_DCG"), difference: over("difference") };
}
