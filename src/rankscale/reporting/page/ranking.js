// Rankings: which are in the page, and the dialog that shows one of them.
const held = data.rankings && {
  ...data.rankings,
  length: decode(data.rankings.length, Int32Array), // (run, topic)
  counts: decode(data.rankings.counts, Int32Array), // (topic, level)
};
const canOpen = (run, topic) => Boolean(held) && run >= 0 && topic >= 0 && held.length[run * topics.length + topic] >= 0;

// Grades are unpacked when the first ranking is opened, names when the first list of documents is shown.
function withGrades() {
  if (held.grades instanceof Uint8Array) return held;
  held.grades = decode(held.grades, Uint8Array);
  held.starts = new Uint32Array(held.length.length + 1);
  held.length.forEach((length, place) => { held.starts[place + 1] = held.starts[place] + Math.min(Math.max(length, 0), held.ranks); });
  return held;
}
function withNames() {
  if (!held.documents || held.documents.starts) return held;
  held.documents.grades = decode(held.documents.grades, Uint8Array);
  held.documents.places = decode(held.documents.places, Uint16Array);
  let start = 0;
  held.documents.starts = held.documents.names.map((names) => (start += names.length) - names.length);
  return held;
}
function rankingOf(run, topic) {
  const { starts, grades, levels, counts, rel, length, depth } = withGrades();
  const place = run * topics.length + topic;
  return {
    codes: [...grades.subarray(starts[place], starts[place + 1])],
    levels, rel, depth, length: length[place],
    counts: [...counts.subarray(topic * levels.length, (topic + 1) * levels.length)],
  };
}
function documentsOf(run, topic) {
  if (!canOpen(run, topic)) return [];
  const { documents, levels, rel } = withNames();
  const best = Math.max(1, ...levels);
  const of = (name, code) => {
    const grade = code === UNJUDGED ? null : levels[code];
    return { name, grade, share: Math.max(0, (grade ?? 0) / best), relevant: grade !== null && grade >= rel };
  };
  const places = documents ? [...documents.places.subarray((run * topics.length + topic) * documents.ranks, (run * topics.length + topic + 1) * documents.ranks)].filter((place) => place !== 0xffff) : [];
  if (places.length) return places.map((place) => of(documents.names[topic][place], documents.grades[documents.starts[topic] + place]));
  return rankingOf(run, topic).codes.slice(0, 20).map((code) => of(null, code));
}
// What opens a ranking, or plain text where it is not in the page.
function opener(run, topic, text = runs[run]) {
  return canOpen(run, topic) ? element("button", { type: "button", class: "open", "data-run": run, "data-topic": topic }, text) : text;
}

// The dialog: one ranking, and ways to its neighbours.
const shownRanking = { run: 0, topic: 0 };
function openRanking(run, topic) {
  if (!canOpen(run, topic)) return;
  Object.assign(shownRanking, { run, topic });
  byId("ranking-title").textContent = `${runs[run]}, topic ${topics[topic]}`;
  if (!byId("ranking").open) byId("ranking").showModal();
  const ranking = rankingOf(run, topic);
  const known = ranking.levels.reduce((sum, grade, level) => sum + (grade >= ranking.rel ? ranking.counts[level] : 0), 0);
  const cut = ranking.length > ranking.codes.length ? `, the first ${ranking.codes.length.toLocaleString("en")} of which are in this page` : "";
  const value = data.measure ? `${data.measure} ${shown(valueAt(run, topic))}; ` : "";
  byId("ranking-note").textContent = `${value}${ranking.length.toLocaleString("en")} documents retrieved${cut}; ${known} relevant documents are known. `
    + (known ? "CRP falls where documents stand that belong further down, and rises with relevant ones that come late; DCG is what has been gained." : "Without a relevant document there is no ideal ranking to compare with.")
    + (held.condensed ? " Unjudged documents are taken out of the curves." : "");
  if (known) drawCourse(byId("ranking-chart"), ranking);
  else byId("ranking-chart").replaceChildren();
  byId("ranking-documents").replaceChildren(...documentsOf(run, topic).map((document, rank) => element("li", {},
    element("span", { class: "rank" }, String(rank + 1)), gradeChip(document), element("span", { class: "name" }, document.name ?? NAMELESS))));
  for (const button of document.querySelectorAll("#ranking [data-step]")) button.disabled = neighbour(button.dataset.step, Number(button.dataset.by)) === null;
  keep({ ranking: runs[run], topic: topics[topic] });
}
// The next ranking that is in the page, of the same run or of the same topic.
function neighbour(which, by) {
  const at = { ...shownRanking };
  const most = which === "run" ? runs.length : topics.length;
  for (at[which] += by; at[which] >= 0 && at[which] < most; at[which] += by) if (canOpen(at.run, at.topic)) return at;
  return null;
}
function step(which, by) {
  const next = neighbour(which, by);
  if (next) openRanking(next.run, next.topic);
}
byId("ranking")?.addEventListener("click", ({ target }) => target.dataset.step && step(target.dataset.step, Number(target.dataset.by)));
byId("ranking")?.addEventListener("keydown", (event) => {
  const steps = { j: ["topic", 1], k: ["topic", -1], n: ["run", 1], p: ["run", -1], ArrowRight: ["topic", 1], ArrowLeft: ["topic", -1] };
  if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
  step(...steps[event.key]);
  event.preventDefault();
});
byId("ranking")?.addEventListener("close", () => keep({ ranking: undefined }));
let redrawing = 0;
window.addEventListener("resize", () => {
  clearTimeout(redrawing);
  redrawing = setTimeout(() => byId("ranking")?.open && openRanking(shownRanking.run, shownRanking.topic), 100);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.open");
  if (button) openRanking(Number(button.dataset.run), Number(button.dataset.topic));
});
byId("ranking-open")?.addEventListener("click", () => {
  const [run, topic] = [runs.indexOf(byId("ranking-run").value), topics.indexOf(byId("ranking-topic").value)];
  byId("ranking-open-note").textContent = canOpen(run, topic) ? "" : "This ranking is not in the page.";
  openRanking(run, topic);
});
followers.push(({ ranking, topic }) => ranking !== undefined && openRanking(runs.indexOf(ranking), topics.indexOf(topic)));

// Indicators: parallel coordinates of the run chosen, cut at the ends of the axes; a click on a line opens its ranking.
function indicatorsOf(run) {
  const { axes, topics: of, R, runs: byRun, listed } = data.indicators;
  const name = Object.hasOwn(byRun, run) ? run : Object.keys(byRun)[0];
  byId("ranking-open-note").textContent = name === run ? "" : `The indicators below are those of ${name}: those of ${run} are not in the page.`;
  const lines = byRun[name].flatMap((ofTopic, place) => ofTopic.map((value, axis) => (
    { run: name, topic: of[place], R: R[place], axis: axes[axis], value, drawn: Math.min(1, Math.max(0, value)) }
  )).filter((corner) => corner.value !== null));
  const beyond = axes.flatMap((axis) => [0, 1].flatMap((end) => {
    const corners = lines.filter((corner) => corner.axis === axis && corner.drawn === end && corner.value !== end);
    corners.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const some = corners.length > listed ? corners.slice(0, listed - 1) : corners;
    const texts = some.map(({ value, topic }) => [`${value.toFixed(4)} (${topic})`, value.toFixed(3)]);
    if (some.length < corners.length) texts.push(Array(2).fill(`and ${corners.length - some.length} more`));
    return texts.map(([text, short], place) => ({ axis, drawn: end, place, text, short }));
  }));
  return { lines, beyond };
}
if (data.indicators) {
  dataOf.indicators = () => indicatorsOf(byId("ranking-run").value);
  linked.indicators = (view) => view.addEventListener("click", (_, item) => {
    if (item?.datum?.topic !== undefined) openRanking(runs.indexOf(item.datum.run), topics.indexOf(item.datum.topic));
  });
  byId("ranking-run").addEventListener("change", () => redraw("indicators"));
}
