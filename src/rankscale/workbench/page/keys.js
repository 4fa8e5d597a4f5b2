// Keys: j and k walk through topics, n and p through runs, / searches, ? helps.

import { byId, h } from "./dom.js";
import { drawer } from "./drawer.js";

const HELP = [
  ["j, k", "next, previous topic: of the list in sight, in the order that it has"],
  ["n, p", "next, previous run as A, in the order of the leaderboard"],
  ["s", "swap A and B"],
  ["/", "search, or type another measure"],
  ["arrows", "walk through a chart or table that has the focus; Enter opens"],
  ["Shift and arrows", "brush a chart; Enter takes the brush, Escape lets it go"],
  ["Escape", "close what is open"],
  ["?", "this help"],
];

export function keys(app) {
  const help = byId("help");
  help.append(h("h2", { id: "help-title" }, "Keys"), h("dl", {}, HELP.map(([key, words]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)])),
    h("p", { class: "soft" }, "Everything chosen is in the address: back goes back, and the link can be sent. Values are those of the command shown at the foot of each view."),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close")));
  byId("help-open").addEventListener("click", () => help.showModal());
  addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && drawer.topic) { drawer.close(); return; }
    if (event.target.closest("input, select, textarea, dialog")) return;
    const act = { j: () => topic(app, 1), k: () => topic(app, -1), n: () => run(app, 1), p: () => run(app, -1), s: swap, "/": search, "?": () => help.showModal() }[event.key];
    if (act) { event.preventDefault(); act(app); }
  });
  function swap() { const { a, b } = app.answer.frame; app.set({ a: b, b: a }); }
  function search() { (document.querySelector("#content input[type=search]") ?? byId("measure")).focus(); }
}

function topic(app, step) {
  if (app.view === "ranking") { app.go("ranking", { topic: app.answer.data.neighbours[step === 1 ? 1 : 0] }); return; }
  const order = app.topicOrder;
  if (!order.length) return;
  const at = order.indexOf(drawer.topic);
  app.openTopic(order[at < 0 ? (step === 1 ? 0 : order.length - 1) : (at + step + order.length) % order.length]);
}

function run(app, step) {
  const { runs, a, b } = app.answer.frame;
  const order = (app.answer.data.runs?.length === runs.length ? app.answer.data.runs : runs).filter((name) => name !== b);
  app.set({ a: order[(order.indexOf(a) + step + order.length) % order.length], b });
}
