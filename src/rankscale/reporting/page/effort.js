// Effort and gain: every ranking a point in sixteen quadrants. What is brushed in the plot, or chosen from the lists, is
// listed beside it; a new brush takes the place of the old one, and of a quadrant that was chosen.
const ALL = { run: "all runs", quadrant: "all quadrants" };
const about = data.effort;
const [efforts, gains, quadrants] = [decode(about.effort, Float32Array), decode(about.gain, Float32Array), decode(about.quadrants, Uint8Array)];
const median = (some) => {
  const ordered = some.filter(Number.isFinite).sort((a, b) => a - b);
  const half = ordered.length >> 1;
  return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
};
const medians = topics.map((_, topic) => median(runs.map((_, run) => gains[run * topics.length + topic])));
const points = [];
quadrants.forEach((quadrant, place) => {
  if (quadrant === 255) return;
  const [run, topic] = [Math.floor(place / topics.length), place % topics.length];
  points.push({ run, topic, effort: efforts[place], gain: gains[place], quadrant, away: gains[place] - medians[topic] });
});
const bounds = { low: Math.min(0, ...about.cuts), high: 1 };
for (const { gain } of points) bounds.low = Math.min(bounds.low, gain);
bounds.most = points.reduce((most, { gain }) => Math.max(most, gain), 0);
if (bounds.most > 1 || bounds.most <= 0.8) bounds.high = bounds.most + 0.02 * (bounds.most - bounds.low) || 1;

let brush = null; // [effort, effort, gain, gain], rising
const chosen = () => {
  const run = runs.indexOf(byId("effort-run").value);
  const quadrant = about.quadrant_names.indexOf(byId("effort-quadrant").value);
  return points.filter((point) => (run < 0 || point.run === run) && (quadrant < 0 || point.quadrant === quadrant)
    && (!brush || (point.effort >= brush[0] && point.effort <= brush[1] && point.gain >= brush[2] && point.gain <= brush[3])));
};
const ofNumber = (get, format = shown, key = get) => ({ number: true, key, cell: (point) => format(get(point)), text: get });
const pointTable = makeListing(byId("points"), [
  { key: ({ run }) => runs[run], cell: ({ run, topic }) => opener(run, topic) },
  { key: ({ topic }) => topics[topic], cell: ({ topic }) => topics[topic] },
  ofNumber(({ effort }) => effort, (value) => shown(value, 3)),
  ofNumber(({ gain }) => gain, (value) => shown(value, 3)),
  ofNumber(({ away }) => away, (value) => signed(value, 3), ({ away }) => Math.abs(away)),
]);
const listRankings = () => {
  const found = chosen();
  pointTable.set(found);
  const area = brush ? [`${about.names[0]} ${shown(brush[0], 2)} to ${shown(brush[1], 2)}`, `${about.names[1]} ${shown(brush[2], 2)} to ${shown(brush[3], 2)}`] : [];
  const lists = Object.keys(ALL).map((list) => byId(`effort-${list}`).value).filter((value) => !Object.values(ALL).includes(value));
  const which = [...lists, ...area].join(", ");
  byId("points-status").textContent = `${found.length.toLocaleString("en")} of ${points.length.toLocaleString("en")} rankings${which ? `: ${which}` : ""}`;
  plot.paint();
};

const room = { left: 44, right: 84, top: 38, bottom: 42 };
const AREA_COLOURS = { diagonal: "third", "high-high": "other", gray: "soft", below: "one" };
function scales(width, height) {
  const [across, down] = [width - room.left - room.right, height - room.top - room.bottom];
  return {
    x: (effort) => room.left + effort * across,
    y: (gain) => room.top + (1 - (gain - bounds.low) / (bounds.high - bounds.low)) * down,
    effort: (x) => Math.min(1, Math.max(0, (x - room.left) / across)),
    gain: (y) => Math.min(bounds.high, Math.max(bounds.low, bounds.low + (1 - (y - room.top) / down) * (bounds.high - bounds.low))),
  };
}
const plot = canvasIn(byId("effort-gain"), (pen, width, height) => {
  const { x, y } = scales(width, height);
  const rows = [bounds.low, ...about.cuts, bounds.high];
  const counts = Array(16).fill(0);
  for (const { quadrant } of points) counts[quadrant] += 1;
  for (let row = 0; row < 4; row += 1) {
    for (let column = 0; column < 4; column += 1) {
      const [left, top, wide, high] = [x(column / 4), y(rows[row + 1]), x(0.25) - x(0), y(rows[row]) - y(rows[row + 1])];
      pen.globalAlpha = 0.12;
      pen.fillStyle = colour(AREA_COLOURS[about.areas[row][column]] ?? "line");
      pen.fillRect(left, top, wide, high);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour("line");
      pen.strokeRect(left, top, wide, high);
    }
  }
  const run = runs.indexOf(byId("effort-run").value);
  const radius = points.length > 5000 ? 1.2 : points.length > 1500 ? 2 : 2.6;
  const dots = (some, alpha, fill) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour(fill);
    for (const { effort, gain } of some) {
      pen.beginPath();
      pen.arc(x(effort), y(gain), radius, 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
  };
  dots(run < 0 ? points : points.filter((point) => point.run !== run), run < 0 ? 0.45 : 0.12, run < 0 ? "one" : "soft");
  if (run >= 0) dots(points.filter((point) => point.run === run), 0.9, "one");
  pen.textBaseline = "middle";
  pen.font = `600 ${pen.font}`;
  pen.lineWidth = 3;
  pen.strokeStyle = colour("ground");
  pen.fillStyle = colour("ink");
  pen.textAlign = "left";
  const write = (text, at, up) => {
    pen.strokeText(text, at, up);
    pen.fillText(text, at, up);
  };
  for (let row = 0; row < 4; row += 1) {
    for (let column = 0; column < 4; column += 1) {
      if (y(rows[row]) - y(rows[row + 1]) < 13 || !counts[4 * row + column]) continue;
      const share = (100 * counts[4 * row + column]) / points.length;
      write(share < 1 ? "<1%" : `${share.toFixed(0)}%`, x(column / 4) + 4, y(rows[row + 1]) + 9);
    }
  }
  pen.font = pen.font.replace("600 ", "");
  pen.fillStyle = colour("soft");
  pen.textAlign = "center";
  about.columns.forEach((name, column) => pen.fillText(fitted(pen, width < 480 ? name.split(" ")[0] : name, x(0.25) - x(0) - 4), x((column + 0.5) / 4), room.top - 9));
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) pen.fillText(String(tick), x(tick), height - room.bottom + 12);
  pen.fillText(`${about.names[0]} (1 = no wasted effort)`, (x(0) + x(1)) / 2, height - 10, width);
  pen.textAlign = "left";
  let below = Infinity;
  about.rows.forEach((name, row) => {
    below = Math.min((y(rows[row]) + y(rows[row + 1])) / 2, below - 13);
    pen.fillText(name, width - room.right + 5, below);
  });
  pen.textAlign = "right";
  for (const tick of ticksOf(bounds.low, bounds.high, 5)) pen.fillText(String(tick), room.left - 5, y(tick));
  pen.textAlign = "left";
  pen.fillText(`gain: ${about.names[1]}`, 0, 8, room.left + 60);
  if (brush) {
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.strokeRect(x(brush[0]), y(brush[3]), x(brush[1]) - x(brush[0]), y(brush[2]) - y(brush[3]));
    pen.setLineDash([]);
  }
});
const area = byId("effort-gain");
let dragged = null;
function nearestPoint(left, top) {
  const { x, y } = scales(area.clientWidth, area.clientHeight);
  let [best, nearest] = [null, 64];
  const run = runs.indexOf(byId("effort-run").value);
  for (const point of points) {
    if (run >= 0 && point.run !== run) continue;
    const far = (x(point.effort) - left) ** 2 + (y(point.gain) - top) ** 2;
    if (far < nearest) [best, nearest] = [point, far];
  }
  return best;
}
const within = ({ clientX, clientY }) => {
  const { left, top } = area.getBoundingClientRect();
  return [clientX - left, clientY - top];
};
area.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  dragged = within(event);
  area.setPointerCapture(event.pointerId);
});
area.addEventListener("pointermove", (event) => {
  const at = within(event);
  if (!dragged) {
    const point = nearestPoint(...at);
    plot.canvas.style.cursor = point && canOpen(point.run, point.topic) ? "pointer" : "crosshair";
    return showTip(event, point ? `${runs[point.run]}, topic ${topics[point.topic]}\n${about.names[0]} ${shown(point.effort)}, ${about.names[1]} ${shown(point.gain)}` : "");
  }
  if (Math.hypot(at[0] - dragged[0], at[1] - dragged[1]) < 5) return undefined;
  const { effort, gain } = scales(area.clientWidth, area.clientHeight);
  const rising = (...ends) => ends.sort((a, b) => a - b);
  brush = [...rising(effort(dragged[0]), effort(at[0])), ...rising(gain(dragged[1]), gain(at[1]))];
  byId("effort-quadrant").value = ALL.quadrant;
  showTip(event, "");
  return plot.paint();
});
area.addEventListener("pointerup", (event) => {
  if (!dragged) return;
  const at = within(event);
  const moved = Math.hypot(at[0] - dragged[0], at[1] - dragged[1]) >= 5;
  dragged = null;
  if (moved) return listRankings();
  const point = nearestPoint(...at);
  return point ? openRanking(point.run, point.topic) : undefined;
});
area.addEventListener("pointercancel", () => { dragged = null; });
area.addEventListener("pointerleave", () => showTip(null, ""));
byId("effort-run").addEventListener("change", listRankings);
byId("effort-quadrant").addEventListener("change", () => {
  brush = null;
  listRankings();
});
byId("effort-clear").addEventListener("click", () => {
  brush = null;
  for (const [list, all] of Object.entries(ALL)) byId(`effort-${list}`).value = all;
  listRankings();
});
listRankings();
