// What all sections of the page share: its data, its state in the address, and figures that Vega draws when they come near.
// base.js stands before this. Names of runs and topics are only ever set as text.
const data = JSON.parse(byId("data").textContent);
const [runs, topics] = [data.runs ?? [], data.topics ?? []];
const values = data.values === undefined ? new Float32Array() : decode(data.values, Float32Array); // (run, topic)
const valueAt = (run, topic) => values[run * topics.length + topic];

// State: what is chosen stands in the address behind the name of a section, as in #compare?a=bm25&b=ql&topic=301, so that
// links can be sent. Each section says what it takes from there.
const state = {};
const followers = [];
function addressed() {
  const [id, query] = location.hash.slice(1).split(/\?(.*)/s);
  return { id, asked: Object.fromEntries(new URLSearchParams(query ?? "")) };
}
function keep(changes, id = addressed().id) {
  Object.assign(state, changes);
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== undefined && value !== "")).toString();
  history.replaceState(null, "", `#${id}${query ? `?${query}` : ""}`);
}
function followAddress(behavior) {
  const { id, asked } = addressed();
  for (const follow of followers) follow(asked);
  if (id || Object.keys(asked).length) keep({}, id);
  const target = id ? byId(id) : null;
  for (const folded of target ? target.querySelectorAll(":scope > details.whole") : []) folded.open = true;
  target?.scrollIntoView({ behavior });
}
followers.push(({ sort }) => {
  const [id, column, way] = (sort ?? "").split(".");
  const table = id && byId(id);
  if (!table?.tHead?.rows[0].cells[Number(column)] || !["ascending", "descending"].includes(way)) return;
  if (table.listing) table.listing.sortBy(Number(column), way);
  else sortBy(table, Number(column), way);
});
document.addEventListener("sorted", ({ target, detail }) => keep({ sort: `${target.id}.${detail.column}.${detail.ascending ? "ascending" : "descending"}` }));

// Figures of Vega: in the colours of the page, narrow where the page is; places keep their height before they are drawn.
const drawn = new Map();
const isNarrow = matchMedia("(max-width: 44rem)");
const dataOf = {}; // by figure, where a script makes its data
const linked = {}; // by figure, what is to be done with its view
function drawFigure(place) {
  if (!drawn.has(place.id)) {
    const { specs, datasets } = data.figures[place.id];
    const theme = isDark() ? "dark" : "light";
    const spec = structuredClone(specs[`${theme}${isNarrow.matches ? "-narrow" : ""}`]);
    spec.datasets = dataOf[place.id]?.() ?? datasets;
    const options = { renderer: place.dataset.renderer, tooltip: { theme } };
    drawn.set(place.id, embed(place.firstElementChild, spec, options).then((view) => {
      linked[place.id]?.(view);
      return view;
    }));
  }
  return drawn.get(place.id);
}
function redraw(...ids) {
  for (const id of ids) if (drawn.delete(id)) drawFigure(byId(id));
}
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawFigure(entry.target);
}, { rootMargin: "600px" });
for (const place of document.querySelectorAll(".chart")) watcher.observe(place);
isNarrow.addEventListener("change", () => redraw(...drawn.keys()));
document.addEventListener("themechange", () => redraw(...drawn.keys()));
window.addEventListener("beforeprint", () => document.querySelectorAll(".chart").forEach(drawFigure));
