// What the page does by itself: draws figures, links the points of the effort/gain plot with a list, and opens rankings.
// base.js stands before this. Names of runs and topics are only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);

// Rankings: the curves of one, with those of the ideal ranking.
function openRanking(run, topic) {
  if (!data.rankings) return; // a page without that section
  const within = (object, key) => (object && Object.hasOwn(object, key) ? object[key] : undefined);
  const ofRanking = within(within(data.rankings.curves, run), topic);
  byId("ranking-title").textContent = `${run}, topic ${topic}`;
  byId("ranking-chart").replaceChildren();
  byId("ranking").showModal();
  if (ofRanking === undefined) {
    const known = within(data.rankings.topics, topic) !== undefined;
    byId("ranking-note").textContent = known ? `${data.rankings.absent} ${data.rankings.command}` : data.rankings.without;
    return;
  }
  const ofTopic = data.rankings.topics[topic];
  byId("ranking-note").textContent =
    `${ofTopic.recall_base} relevant documents are known (dotted line: the recall base). CRP falls where documents stand that belong further down, and rises with relevant ones that come late; DCG is what has been gained.`;
  const spec = structuredClone(data.rankings.spec);
  spec.datasets = datasetsOf(ofRanking, ofTopic);
  // The worst order ends far above all others: the ranking itself decides how high the plot is.
  const [bottom, top] = [Math.min(0, ...ofRanking.crp, ...ofTopic.crp), Math.max(0, ...ofRanking.crp)];
  spec.vconcat[0].layer[0].encoding.y.scale = { domain: [bottom, top + 0.15 * (top - bottom)], nice: false };
  embed(byId("ranking-chart"), spec, {});
}
function datasetsOf(ofRanking, ofTopic) {
  const curve = (ranks, values, name) => values.map((value, place) => ({ rank: ranks[place], value, curve: name }));
  // Between two of its ranks the curve of the ranking is level, but for CRP down to the recall base.
  const level = (ranks, values, from) => ranks.flatMap((rank, place) => {
    const point = { rank, value: values[place], curve: "this ranking" };
    const gap = place > 0 && rank - ranks[place - 1] > 1 && ranks[place - 1] >= from;
    return gap ? [{ ...point, rank: rank - 1, value: values[place - 1] }, point] : [point];
  });
  return {
    crp: [...level(ofRanking.ranks, ofRanking.crp, ofTopic.recall_base), ...curve(data.rankings.ranks, ofTopic.crp, "worst order")],
    dcg: [...level(ofRanking.ranks, ofRanking.dcg, 1), ...curve(data.rankings.ranks, ofTopic.dcg, "ideal")],
    cells: cellsOf(ofRanking, ofTopic.recall_base),
    recall_base: [{ rank: ofTopic.recall_base }],
  };
}
// The bar of relative positions: stretches of ranks whose documents stand too early, in place or too late. Down to the
// recall base all ranks between two that are given hold documents that are not relevant; below it these are in place.
function cellsOf({ ranks, crp }, recallBase) {
  const cells = [];
  const add = (first, last, RP) => {
    const kind = RP < 0 ? "too early" : RP > 0 ? "too late" : "in place";
    const before = cells.at(-1);
    if (before?.kind === kind) Object.assign(before, { last, RP: before.RP + RP });
    else cells.push({ first, last, kind, RP });
  };
  ranks.forEach((rank, place) => {
    const above = place > 0 ? ranks[place - 1] : 0;
    const change = crp[place] - (place > 0 ? crp[place - 1] : 0);
    if (rank - above === 1 || above < recallBase) return add(above + 1, rank, change);
    add(above + 1, rank - 1, 0);
    return add(rank, rank, change);
  });
  return cells;
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.open");
  if (button) openRanking(button.dataset.run, button.dataset.topic);
});
byId("ranking-open")?.addEventListener("click", () => openRanking(byId("ranking-run").value, byId("ranking-topic").value));

// Indicators: parallel coordinates of the run chosen, cut at the ends of the axes; a click on a line opens its ranking.
function indicatorsOf(run) {
  const { axes, topics, R, runs, listed } = data.indicators;
  const lines = runs[run].flatMap((values, place) => values.map((value, axis) => (
    { run, topic: topics[place], R: R[place], axis: axes[axis], value, drawn: Math.min(1, Math.max(0, value)) }
  )).filter((corner) => corner.value !== null));
  const beyond = axes.flatMap((axis) => [0, 1].flatMap((end) => {
    const corners = lines.filter((corner) => corner.axis === axis && corner.drawn === end && corner.value !== end);
    corners.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const shown = corners.length > listed ? corners.slice(0, listed - 1) : corners;
    const texts = shown.map(({ value, topic }) => `${value.toFixed(4)} (${topic})`);
    if (shown.length < corners.length) texts.push(`and ${corners.length - shown.length} more`);
    return texts.map((text, place) => ({ axis, drawn: end, place, text }));
  }));
  return { lines, beyond };
}
byId("ranking-run")?.addEventListener("change", () => {
  drawn.delete("indicators");
  drawFigure(byId("indicators"));
});

// Effort and gain: what is brushed in the plot, or chosen from the lists, is listed.
const SHOWN = 200;
function listPoints(points) {
  const body = byId("points").tBodies[0];
  body.replaceChildren(...points.slice(0, SHOWN).map((point) => {
    const row = document.createElement("tr");
    const open = document.createElement("button");
    Object.assign(open, { type: "button", className: "open", textContent: point.run });
    Object.assign(open.dataset, { run: point.run, topic: point.topic });
    const cells = [open, point.topic, point.effort.toFixed(4), point.gain.toFixed(4), point.quadrant];
    cells.forEach((content, place) => {
      const cell = document.createElement("td");
      cell.append(content);
      if (place === 2 || place === 3) cell.className = "number";
      row.append(cell);
    });
    return row;
  }));
  const more = points.length > SHOWN ? `; the first ${SHOWN} are listed` : "";
  byId("points-status").textContent = `${points.length} of ${data.points.length} rankings chosen${more}.`;
}
function chosenPoints() {
  const run = byId("effort-run").value;
  const quadrant = byId("effort-quadrant").value;
  return data.points.filter((p) => (run === "all runs" || p.run === run) && (quadrant === "all quadrants" || p.quadrant === quadrant));
}
const opens = (view) => view.addEventListener("click", (_, item) => {
  if (item?.datum?.run !== undefined && item.datum.topic !== undefined) openRanking(item.datum.run, item.datum.topic);
});
let brushed = {};  // what is brushed holds for what is chosen from the lists, too
function listChosen() {
  const within = (value, ends) => !ends || (value >= ends[0] && value <= ends[1]);
  listPoints(chosenPoints().filter((p) => within(p.effort, brushed.effort) && within(p.gain, brushed.gain)));
}
async function choosePoints() {
  listChosen();
  const view = await drawn.get("effort-gain");
  view?.signal("run_shown", byId("effort-run").value).runAsync();
}
function linkPoints(view) {
  view.addSignalListener("brush", (_, area) => {
    brushed = area;
    listChosen();
  });
  opens(view);
}
if (byId("points")) {
  byId("effort-run").addEventListener("change", choosePoints);
  byId("effort-quadrant").addEventListener("change", choosePoints);
  byId("effort-clear").addEventListener("click", () => {
    byId("effort-run").value = "all runs";
    byId("effort-quadrant").value = "all quadrants";
    brushed = {};
    drawn.get("effort-gain")?.then((view) => view.signal("brush_x", []).signal("brush_y", []).runAsync());
    choosePoints();
  });
}

// Figures are drawn when they come near, so that a long page opens at once; all of them before it is printed.
const drawn = new Map();
function drawFigure(place) {
  if (!drawn.has(place.id)) {
    const spec = data.figures[place.id];
    if (place.id === "effort-gain") spec.datasets.points = data.points;
    if (place.id === "indicators") spec.datasets = indicatorsOf(byId("ranking-run").value);
    drawn.set(place.id, embed(place, spec, { renderer: place.dataset.renderer }).then((view) => {
      if (place.id === "effort-gain") linkPoints(view);
      if (place.id === "topic-map" || place.id === "indicators") opens(view);
      return view;
    }));
  }
  return drawn.get(place.id);
}
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) drawFigure(entry.target);
}, { rootMargin: "600px" });
for (const place of document.querySelectorAll(".chart")) watcher.observe(place);
window.addEventListener("beforeprint", () => document.querySelectorAll(".chart").forEach(drawFigure));
if (byId("points")) listChosen();
