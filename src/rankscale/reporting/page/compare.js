// Two runs: differences by topic, the biggest wins and losses, and both rankings of a topic.
const ENDS = 5;
const pairs = { ...data.pairs };
for (const name of ["first", "second"]) pairs[name] = decode(pairs[name], Uint16Array); // places of both runs
for (const name of ["difference", "lower", "upper"]) pairs[name] = decode(pairs[name], Float32Array);
pairs.p = decode(pairs.p, Float64Array); // in full: a verdict depends on it
const gap = (number) => (pairs.ratio ? `ratio ${shown(number)}` : signed(number)); // of geometric means
// The test of two runs, first less second or first over second; undefined where they were not compared.
function testOf(first, second) {
  for (let place = 0; place < pairs.first.length; place += 1) {
    const [same, turned] = [[first, second], [second, first]].map(([one, other]) => pairs.first[place] === one && pairs.second[place] === other);
    if (!same && !turned) continue;
    const [difference, lower, upper, p] = ["difference", "lower", "upper", "p"].map((name) => pairs[name][place]);
    if (same) return { difference, lower, upper, p };
    const other = (number) => (pairs.ratio ? 1 / number : -number);
    return { difference: other(difference), lower: other(upper), upper: other(lower), p };
  }
  return undefined;
}
const chosenRuns = () => ["run-a", "run-b"].map((id) => runs.indexOf(byId(id).value));
// Topics on which both have a value, those on which the first is best against the second first.
function differencesOf(first, second) {
  const sign = data.direction || 1;
  const found = topics.map((name, topic) => ({ topic, name, difference: valueAt(first, topic) - valueAt(second, topic) }));
  return found.filter(({ difference }) => Number.isFinite(difference)).sort((a, b) => sign * (b.difference - a.difference));
}
function pairSentence(first, second, found) {
  const sign = data.direction || 1;
  const [better, worse] = data.direction ? ["better", "worse"] : ["higher", "lower"];
  const count = (is) => found.filter(({ difference }) => is(sign * difference)).length;
  const test = testOf(first, second);
  const verdict = !test && pairs.partial ? "the test of these two is not in the page"
    : !test || Number.isNaN(test.p) ? "these two were not tested"
    : `${gap(test.difference)}${Number.isNaN(test.lower) ? "" : ` (${pairs.words}: ${gap(test.lower)} to ${gap(test.upper)})`}, p = ${Number(test.p.toPrecision(2))}, ${pairs.family} (${pairs.test}): ${test.p < pairs.alpha ? "told apart" : "not told apart"}`;
  const means = [first, second].map((run) => (data.means[run] === null ? "-" : shown(data.means[run])));
  return `${runs[first]} has ${data.measure} ${means[0]}, ${runs[second]} ${means[1]}. Difference: ${verdict}. ${runs[first]} is ${better} on ${count((one) => one > 0)} of ${found.length} topics, ${worse} on ${count((one) => one < 0)}, equal on ${count((one) => one === 0)}.`;
}
const bars = drawDifferences(byId("differences"), {
  label: ({ names, better }) => `${data.measure} by topic, ${names.length} differences: ${better}`,
  pick: (place) => chooseTopic(shownPair[place].topic),
});
let shownPair = [];
function drawPair() {
  const [first, second] = chosenRuns();
  const sign = data.direction || 1;
  const better = data.direction ? "better" : "higher";
  shownPair = differencesOf(first, second);
  byId("pair-sentence").textContent = pairSentence(first, second, shownPair);
  bars.set({
    names: shownPair.map(({ name }) => name),
    differences: shownPair.map(({ difference }) => sign * difference),
    better: `${runs[first]} is ${better}`,
    worse: `${runs[second]} is ${better}`,
  });
  listEnds("wins", `Topics on which ${runs[first]} is ${better} by most`, shownPair.filter(({ difference }) => sign * difference > 0).slice(0, ENDS), first, second);
  listEnds("losses", `Topics on which ${runs[second]} is ${better} by most`, shownPair.filter(({ difference }) => sign * difference < 0).reverse().slice(0, ENDS), first, second);
  keep({ a: runs[first], b: runs[second] });
}
function listEnds(id, caption, found, first, second) {
  const table = byId(id);
  byId(`${id}-caption`).textContent = caption;
  const rows = found.map(({ topic, name, difference }) => element("tr", {},
    element("th", { scope: "row" }, element("button", { type: "button", class: "link", "data-choose": topic }, name)),
    ...[valueAt(first, topic), valueAt(second, topic)].map((value) => element("td", { class: "number" }, shown(value))),
    element("td", { class: "number" }, signed(difference))));
  table.tBodies[0].replaceChildren(...(rows.length ? rows : [element("tr", {}, element("td", { colspan: 4 }, "none"))]));
  rove(table.tBodies[0], "button");
  table.listing = {
    text: () => ["topic", runs[first], runs[second], "difference"].map((cell) => cell.replace(/\s+/g, " ")).join("\t") + "\n"
      + shownPair.map((row) => tsvLine([row.name, valueAt(first, row.topic), valueAt(second, row.topic), row.difference])).join(""),
  };
}
function chooseTopic(topic) {
  const field = byId("pair-topic");
  if (topic < 0) {
    byId("pair-topic-note").textContent = "There is no such topic.";
    return;
  }
  field.value = topics[topic];
  const bar = shownPair.findIndex((one) => one.topic === topic);
  if (bar >= 0) bars.move(bar);
  const [first, second] = chosenRuns();
  byId("pair-topic-note").textContent = `${data.measure} on topic ${topics[topic]}: ${runs[first]} ${shown(valueAt(first, topic))}, ${runs[second]} ${shown(valueAt(second, topic))}.`;
  if (held) {
    drawTwoRankings(byId("both-rankings"), ...[first, second].map((run) => ({
      title: runs[run],
      documents: documentsOf(run, topic),
      empty: canOpen(run, topic) ? "nothing retrieved" : "no ranking in this page",
    })));
    byId("both-open").replaceChildren(...[first, second].flatMap((run) => (canOpen(run, topic) ? [opener(run, topic, `Open the ranking of ${runs[run]}`), " "] : [])));
  }
  keep({ topic: topics[topic] });
}
// The topic shown at first is the one with the largest difference either way.
function startTopic() {
  const [most] = [...shownPair].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  chooseTopic(most?.topic ?? 0);
}
for (const id of ["run-a", "run-b"]) {
  byId(id).append(...runs.map((run) => element("option", { value: run }, run)));
  byId(id).addEventListener("change", () => {
    drawPair();
    chooseTopic(topics.indexOf(byId("pair-topic").value));
  });
}
byId("swap").addEventListener("click", () => {
  [byId("run-a").value, byId("run-b").value] = [byId("run-b").value, byId("run-a").value];
  drawPair();
  chooseTopic(topics.indexOf(byId("pair-topic").value));
});
byId("pair-topic").addEventListener("change", () => chooseTopic(topics.indexOf(byId("pair-topic").value)));
byId("compare").addEventListener("click", ({ target }) => target.dataset.choose !== undefined && chooseTopic(Number(target.dataset.choose)));
// From the address: a run chosen alone is compared with the best run or the baseline, and that with the best other one.
followers.push(({ a, b, topic }) => {
  if (![a, b, topic].some((one) => one !== undefined) && state.a !== undefined) return;
  const reference = runs[pairs.reference];
  const first = runs.includes(a) ? a : state.a ?? runs[0];
  let second = runs.includes(b) ? b : a !== undefined && b === undefined ? reference : state.b ?? reference;
  if (second === first) second = runs[first === runs[0] ? 1 : 0];
  [byId("run-a").value, byId("run-b").value] = [first, second];
  const { hash } = location;
  drawPair();
  if (topics.includes(topic)) chooseTopic(topics.indexOf(topic));
  else startTopic();
  if (!hash) history.replaceState(null, "", location.pathname + location.search);
});
