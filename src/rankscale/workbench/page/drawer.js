// The drawer at the right: the rankings of one topic, beside whatever view is open.

import { byId, h } from "./dom.js";
import { lists } from "./lists.js";
import { ask } from "./state.js";

const SHOWN = 20; // ranks

export const drawer = {
  topic: "",
  request: null,
  // The rankings of A and B, or of another run in place of A.
  async open(app, topic, run = "") {
    const place = byId("drawer");
    const both = app.answer.frame;
    const [a, b] = [run || both.a, run === both.b ? both.a : both.b];
    drawer.topic = topic;
    drawer.request?.abort();
    drawer.request = new AbortController();
    const { signal } = drawer.request;
    place.hidden = false;
    document.body.classList.add("with-drawer");
    const { judge, swap, topics, ...state } = app.state();
    const head = h("div", { class: "head" }, h("h2", {}, `Topic ${topic}`),
      h("a", { href: app.link("ranking", { a, b }, topic), class: "button" }, "Open"), " ",
      h("button", { type: "button", onclick: () => drawer.close() }, "Close"));
    place.replaceChildren(head, h("p", { class: "soft" }, "Reading the rankings …"));
    try {
      const { data } = await ask("ranking", { ...state, a, b, topic, shown: SHOWN }, signal, () => {});
      const box = h("div");
      const values = data.measures.map((name, row) => h("tr", {}, h("th", { scope: "row" }, name), ["a", "b"].map((side) => h("td", { class: "number" }, data.values[side][row] === null ? "–" : data.values[side][row].toFixed(4)))));
      place.replaceChildren(head, data.query ? h("p", {}, data.query) : "",
        h("table", {}, h("caption", {}, `${data.relevant} relevant of ${data.judged} judged documents`), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "measure"), h("th", { scope: "col", class: "number" }, "A"), h("th", { scope: "col", class: "number" }, "B"))), h("tbody", {}, values)),
        box);
      lists(box, data, { app });
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(head, h("p", { class: "error", role: "alert" }, error.message));
    }
  },
  close() {
    drawer.request?.abort();
    drawer.topic = "";
    byId("drawer").hidden = true;
    document.body.classList.remove("with-drawer");
  },
};
