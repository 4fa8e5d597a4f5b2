// Topics: a heat map of all values, and a table of topics.
const relevantOf = data.relevant === undefined ? null : decode(data.relevant, Int32Array);
// A row for each topic: mean and deviation over runs, and the runs at both ends.
function topicRows() {
  return topics.map((name, topic) => {
    const known = runs.map((_, run) => [valueAt(run, topic), run]).filter(([value]) => !Number.isNaN(value));
    const mean = known.reduce((sum, [value]) => sum + value, 0) / known.length;
    const squares = known.reduce((sum, [value]) => sum + (value - mean) ** 2, 0);
    const end = (best) => known.reduce((found, one) => (found === null || best(one[0], found[0]) ? one : found), null);
    const [high, low] = [end((a, b) => a > b), end((a, b) => a < b)];
    const alike = (found) => (found ? known.filter(([value]) => value === found[0]).length - 1 : 0);
    return { name, topic, mean, deviation: known.length > 1 ? Math.sqrt(squares / (known.length - 1)) : NaN, high, low, highAlike: alike(high), lowAlike: alike(low) };
  });
}
const finite = (value) => (Number.isFinite(value) ? value : null);
const ofRun = (which) => ({
  key: (row) => (row[which] ? runs[row[which][1]] : ""),
  cell: (row) => (row[which] ? opener(row[which][1], row.topic, runs[row[which][1]] + (row[`${which}Alike`] ? ` and ${row[`${which}Alike`]} more` : "")) : "-"),
});
const ofValue = (get) => ({ number: true, key: (row) => finite(get(row)), cell: (row) => shown(get(row)) });
const listedTopics = topicRows();
const topicTable = makeListing(byId("topics-table"), [
  { key: (row) => row.name, cell: (row) => row.name },
  ...(relevantOf ? [{ number: true, key: (row) => relevantOf[row.topic], cell: (row) => relevantOf[row.topic].toLocaleString("en") }] : []),
  ofValue((row) => row.mean),
  ofValue((row) => row.deviation),
  ofValue((row) => row.high?.[0] ?? NaN),
  ofRun("high"),
  ofValue((row) => row.low?.[0] ?? NaN),
  ofRun("low"),
]);
topicTable.set(listedTopics);

// The heat map: runs down, the best first, topics across, the easiest first; where topics are thinner than a pixel, the
// mean of neighbours.
const easiest = listedTopics.filter(({ mean }) => !Number.isNaN(mean)).sort((a, b) => (data.direction < 0 ? a.mean - b.mean : b.mean - a.mean)).map(({ topic }) => topic);
const [leastValue, mostValue] = values.reduce(([low, high], value) => (Number.isFinite(value) ? [Math.min(low, value), Math.max(high, value)] : [low, high]), [0, 0]);
const mapArea = { left: 0, top: 4, right: 4, bottom: 70 };
const shadeOf = (() => {
  let ends = null;
  document.addEventListener("themechange", () => { ends = null; });
  const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return (value) => {
    ends ??= [rgb(colour("low")), rgb(colour("high"))];
    const share = (value - leastValue) / (mostValue - leastValue || 1);
    return `rgb(${ends[0].map((low, at) => Math.round(low + share * (ends[1][at] - low))).join(" ")})`;
  };
})();
const heat = canvasIn(byId("topic-map"), (pen, width, height) => {
  mapArea.left = Math.min(0.3 * width, 12 + Math.max(...runs.map((run) => pen.measureText(run).width)));
  const [across, down] = [width - mapArea.left - mapArea.right, height - mapArea.top - mapArea.bottom];
  const columns = Math.min(easiest.length, Math.floor(across));
  const [step, row] = [across / columns, down / runs.length];
  for (let run = 0; run < runs.length; run += 1) {
    for (let column = 0; column < columns; column += 1) {
      const some = easiest.slice(Math.floor((column * easiest.length) / columns), Math.floor(((column + 1) * easiest.length) / columns)).map((topic) => valueAt(run, topic)).filter(Number.isFinite);
      const [x, y] = [mapArea.left + column * step, mapArea.top + run * row];
      if (some.length) {
        pen.fillStyle = shadeOf(some.reduce((sum, value) => sum + value, 0) / some.length);
        pen.fillRect(x, y, step + 0.3, row + 0.3);
      } else {
        pen.strokeStyle = colour("soft");
        pen.strokeRect(x + step / 2 - 1, y + row / 2 - 1, 2, 2);
      }
    }
  }
  pen.fillStyle = colour("ink");
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  const every = Math.ceil(11 / row);
  runs.forEach((run, place) => place % every === 0 && pen.fillText(fitted(pen, run, mapArea.left - 10), mapArea.left - 5, mapArea.top + (place + 0.5) * row));
  const each = Math.ceil(12 / (across / easiest.length));
  easiest.forEach((topic, place) => {
    if (place % each) return;
    pen.save();
    pen.translate(mapArea.left + ((place + 0.5) / easiest.length) * across, height - mapArea.bottom + 5);
    pen.rotate(-Math.PI / 2);
    pen.fillText(fitted(pen, topics[topic], 40), 0, 0);
    pen.restore();
  });
  pen.textAlign = "left";
  const key = Math.min(160, across / 3);
  for (let at = 0; at < key; at += 1) {
    pen.fillStyle = shadeOf(leastValue + (at / key) * (mostValue - leastValue));
    pen.fillRect(mapArea.left + 34 + at, height - 16, 1.5, 10);
  }
  pen.fillStyle = colour("soft");
  pen.fillText(shown(leastValue, 1), mapArea.left + 8, height - 11);
  pen.fillText(`${shown(mostValue, 2)}  ${data.measure}`, mapArea.left + 40 + key, height - 11);
});
function cellAt(x, y) {
  const { width, height } = byId("topic-map").getBoundingClientRect();
  const [column, row] = [(x - mapArea.left) / (width - mapArea.left - mapArea.right), (y - mapArea.top) / (height - mapArea.top - mapArea.bottom)];
  if (column < 0 || column >= 1 || row < 0 || row >= 1) return null;
  return [Math.floor(row * runs.length), easiest[Math.floor(column * easiest.length)]];
}
tipOver(byId("topic-map"), (x, y) => {
  const cell = cellAt(x, y);
  heat.canvas.style.cursor = cell && canOpen(...cell) ? "pointer" : "";
  return cell ? `${runs[cell[0]]}, topic ${topics[cell[1]]}: ${shown(valueAt(...cell))}` : "";
});
heat.canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const cell = cellAt(offsetX, offsetY);
  if (cell) openRanking(...cell);
});
