// The bar at the top: the measure with its parameters, runs A and B, the baseline, brushed topics.

import { h, labelled, select, shortNames } from "./dom.js";

let made = ""; // what the bar was built for: it stays, so that a slider keeps the focus while it moves

export function bar(place, app) {
  const about = app.answer.frame;
  const signature = JSON.stringify([about.measure.name, about.measure.parameters.map((one) => one.name), about.runs.length]);
  if (signature !== made || !place.childElementCount) {
    made = signature;
    place.replaceChildren(...build(app));
  }
  update(place, app);
}

// The measure as text, with the parameters that differ from their defaults: RBP(p=0.9)@20.
function composed(measure, changes) {
  const values = Object.fromEntries(measure.parameters.map((one) => [one.name, changes[one.name] ?? one.text]));
  const within = measure.parameters
    .filter((one) => one.name !== measure.at && values[one.name] !== one.default && values[one.name] !== "")
    .map((one) => `${one.name}=${values[one.name]}`);
  const at = values[measure.at];
  const depth = at === undefined || at === "" || at === "None" ? "" : `@${at}`;
  return `${measure.name}${within.length ? `(${within.join(",")})` : ""}${depth}`;
}

function build(app) {
  const { measure, runs } = app.answer.frame;
  const offered = app.page.offered;
  const names = shortNames(runs);
  const options = runs.map((run, place) => [run, names[place]]);
  const list = h("datalist", { id: "measure-names" }, offered.measures.map((name) => h("option", { value: name })));
  const named = h("input", { id: "measure", list: "measure-names", autocomplete: "off", spellcheck: "false", size: "14",
    onchange: () => app.set({ m: named.value.trim() }) });
  const change = (parameter, text, quiet) => {
    const to = { m: composed(app.answer.frame.measure, { [parameter]: text }), ...(parameter === "rel" ? { rel: "" } : {}) };
    if (quiet) app.soon(to); else app.set(to);
  };
  const pick = (id, label, first) => labelled(label, select([...(first ? [["", first]] : []), ...options], "", (run) => app.set({ [id]: run }), { id }));
  return [
    list,
    labelled("Measure", named, "A measure such as nDCG@10, RBP(p=0.9), AP(rel=2)"),
    h("details", { class: "parameters", open: matchMedia("(min-width: 60rem)").matches },
      h("summary", {}, "Parameters"),
      h("div", { class: "fields" },
        measure.parameters.map((one) => parameter(one, measure, change)),
        labelled("unjudged documents", select([["", "are not relevant"], ["1", "are left out"]], "", (on) => app.set({ judged: on }), { id: "judged" }), "What unjudged documents count as"),
        labelled("cut at", h("input", { id: "depth", type: "number", min: "1", max: "1000000", step: "1", class: "short",
          onchange: (event) => app.set({ depth: event.target.value }) }), "Cut every ranking at this rank first"))),
    pick("a", "A"),
    h("button", { type: "button", class: "small", "aria-label": "Swap A and B", title: "Swap A and B",
      onclick: () => app.set({ a: app.answer.frame.b, b: app.answer.frame.a }) }, "⇄"),
    pick("b", "B"),
    pick("baseline", "Baseline", "none"),
    h("span", { id: "brushed" }),
  ];
}

function parameter(one, measure, change) {
  const id = `parameter-${one.name}`;
  const at = one.name === measure.at;
  const name = one.name === "rel" ? "relevant from" : at && one.name === "depth" ? "depth" : one.name;
  if (one.kind === "choice") return labelled(name, select(one.choices.map((text) => [text, text]), one.text, (text) => change(one.name, text), { id }), one.help);
  if (one.kind === "flag") return labelled(name, select([["False", "no"], ["True", "yes"]], one.text, (text) => change(one.name, text), { id }), one.help);
  if (one.kind === "number" && one.low !== null && one.high !== null && !one.whole) {
    const [low, high] = [one.low, one.high];
    const step = (high - low) / 100;
    const number = h("input", { id, type: "number", step: "any", class: "short", onchange: () => change(one.name, number.value) });
    const slider = h("input", { type: "range", min: String(low + (low === 0 ? step : 0)), max: String(high - step), step: String(step), "aria-label": `${one.name}, slider`, dataset: { slides: one.name },
      oninput: () => { const text = String(Number(Number(slider.value).toFixed(4))); number.value = text; change(one.name, text, true); } });
    return labelled(name, h("span", { class: "pair" }, slider, number), one.help);
  }
  if (one.kind === "number") return labelled(name, h("input", { id, type: "number", step: one.whole ? "1" : "any", min: one.low === null ? undefined : String(one.low), class: "short",
    onchange: (event) => change(one.name, event.target.value) }), one.help);
  return labelled(name, h("input", { id, class: "short", spellcheck: "false", onchange: (event) => change(one.name, event.target.value.replaceAll(" ", "")) }), one.help);
}

function update(place, app) {
  const { measure, a, b, baseline } = app.answer.frame;
  const set = (id, value) => { const field = place.querySelector(`#${CSS.escape(id)}`); if (field && field !== document.activeElement) field.value = value; };
  set("measure", measure.text);
  for (const one of measure.parameters) {
    const text = one.text === "None" && one.kind !== "choice" ? "" : one.text;
    set(`parameter-${one.name}`, text);
    const slider = place.querySelector(`[data-slides="${CSS.escape(one.name)}"]`);
    if (slider && slider !== document.activeElement) slider.value = text;
  }
  const state = app.state();
  set("judged", state.judged ?? "");
  set("depth", state.depth ?? "");
  set("a", a);
  set("b", b);
  set("baseline", baseline);
  const brushed = app.topics();
  place.querySelector("#brushed").replaceChildren(...(brushed.length
    ? [h("span", { class: "chip" }, `${brushed.length} topic${brushed.length === 1 ? "" : "s"} brushed`, h("button", { type: "button", "aria-label": "Show all topics", onclick: () => app.set({ topics: "" }) }, "×"))] : []));
}
