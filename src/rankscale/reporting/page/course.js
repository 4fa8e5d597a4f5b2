// One ranking, rank by rank: CRP with that of the full scale, the bar of relative positions, DCG with that of the ideal
// ranking. Takes plain data: `codes`, the grade of each rank as a place in `levels`, 255 where nobody judged; `counts`,
// how many documents of each grade the topic has; `rel`, the lowest relevant grade; `length`, documents retrieved;
// `depth`, how long the full scale is, at least twice the recall base.
const UNJUDGED = 255;
function courseOf({ codes, levels, counts, rel, length, depth }) {
  // Ideal ranks of each relevant grade, the best grade first.
  const [first, last] = [[], []];
  let base = 0;
  for (let level = levels.length - 1; level >= 0; level -= 1) {
    if (levels[level] < rel) continue;
    first[level] = base + 1;
    base += counts[level];
    last[level] = base;
  }
  const position = (rank, code) => (code !== UNJUDGED && levels[code] >= rel
    ? rank - Math.min(Math.max(rank, first[code]), last[code])
    : Math.min(rank - base - 1, 0));
  let lastRelevant = 0;
  codes.forEach((code, place) => { if (code !== UNJUDGED && levels[code] >= rel) lastRelevant = place + 1; });
  // Down to the rank that is worth drawing; below the end of a ranking nothing is relevant.
  const telling = Math.max(2 * base, lastRelevant + Math.max(2, Math.floor(lastRelevant / 50)), 4);
  const end = length > codes.length ? Math.min(codes.length, telling) : telling;
  // The full scale: nothing relevant down to rank N - RB, then all of it, the worst grade first.
  const whole = Math.max(depth, 2 * base);
  const reversed = levels.flatMap((grade, level) => (grade >= rel ? Array(counts[level]).fill(level) : []));
  const gains = levels.flatMap((grade, level) => (grade > 0 ? Array(counts[level]).fill(grade) : [])).reverse();
  const sums = { crp: 0, full: 0, dcg: 0, ideal: 0 };
  const made = { rp: [], crp: [], full: [], dcg: [], ideal: [], base };
  for (let rank = 1; rank <= end; rank += 1) {
    const code = codes[rank - 1] ?? UNJUDGED;
    const rp = position(rank, code);
    const discount = Math.max(1, Math.log2(rank));
    sums.crp += rp;
    sums.full += position(rank, reversed[rank - 1 - (whole - base)] ?? UNJUDGED);
    sums.dcg += code === UNJUDGED ? 0 : Math.max(0, levels[code]) / discount;
    sums.ideal += (gains[rank - 1] ?? 0) / discount;
    made.rp.push(rp);
    for (const curve of ["crp", "full", "dcg", "ideal"]) made[curve].push(sums[curve]);
  }
  return made;
}

const LANES = ["too early", "in place", "too late"];
function drawCourse(place, ranking) {
  const course = courseOf(ranking);
  const [width, left, right] = [Math.max(260, place.clientWidth), 66, 12];
  const ranks = course.crp.length;
  const across = (rank) => left + ((rank - 1) / Math.max(1, ranks - 1)) * (width - left - right);
  const panel = (top, height, curves, title) => {
    const values = curves.flatMap(({ values: of }) => of);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const up = (value) => top + height - ((value - low) / (high - low || 1)) * height;
    const path = (of) => of.map((value, at) => `${at ? "L" : "M"}${across(at + 1).toFixed(1)} ${up(value).toFixed(1)}`).join("");
    return [
      ...ticksOf(low, high, 4).flatMap((tick) => [
        svgElement("path", { class: "grid", d: `M${left} ${up(tick)}H${width - right}` }),
        svgElement("text", { x: left - 6, y: up(tick) + 4, "text-anchor": "end" }, String(tick)),
      ]),
      svgElement("text", { x: 0, y: top - 8 }, title),
      ...curves.map(({ values: of, kind }) => svgElement("path", { class: kind, d: path(of) })),
      ...curves.map(({ kind, name }, at) => svgElement("g", {},
        svgElement("path", { class: kind, d: `M${width - right - 178 + at * 84} ${top - 12}h18` }),
        svgElement("text", { x: width - right - 156 + at * 84, y: top - 8 }, name))),
      svgElement("path", { class: "base", d: `M${across(course.base)} ${top}v${height}` }),
    ];
  };
  const lanes = 262;
  const bars = LANES.flatMap((lane, at) => [
    svgElement("text", { x: left - 6, y: lanes + at * 14 + 10, "text-anchor": "end" }, lane),
    svgElement("path", { class: `lane lane${at}`, d: stretchesOf(course.rp, at - 1).map(([from, to]) => {
      const step = ranks > 1 ? across(2) - across(1) : 8;
      const x = Math.max(left, across(from) - step / 2);
      return `M${x.toFixed(1)} ${lanes + at * 14 + 1}H${Math.max(x + 1, across(to) + step / 2).toFixed(1)}v11H${x.toFixed(1)}Z`;
    }).join("") }),
  ]);
  const ticks = ticksOf(1, ranks, 8).filter((rank) => Number.isInteger(rank) && rank >= 1);
  place.replaceChildren(svgElement("svg", { class: "course", width, height: 520, viewBox: `0 0 ${width} 520`, role: "img", "aria-label": courseWords(course) },
    ...panel(30, 215, [{ values: course.full, kind: "compared", name: "full scale" }, { values: course.crp, kind: "own", name: "this ranking" }], "CRP"),
    ...bars,
    ...panel(340, 140, [{ values: course.ideal, kind: "compared", name: "ideal" }, { values: course.dcg, kind: "own", name: "this ranking" }], "DCG(base=2)"),
    ...ticks.map((rank) => svgElement("text", { x: across(rank), y: 498, "text-anchor": "middle" }, String(rank))),
    svgElement("text", { x: (left + width - right) / 2, y: 515, "text-anchor": "middle" }, "rank; dotted line: the recall base")));
}
// Stretches of ranks [from, to] whose relative position has a sign.
function stretchesOf(rp, sign) {
  const found = [];
  rp.forEach((one, place) => {
    if (Math.sign(one) !== sign) return;
    const before = found.at(-1);
    if (before && before[1] === place) before[1] = place + 1;
    else found.push([place + 1, place + 1]);
  });
  return found;
}
function courseWords({ crp, full, dcg, ideal, base }) {
  const lowest = Math.min(0, ...crp);
  const falls = lowest < 0 ? `CRP is lowest at rank ${crp.indexOf(lowest) + 1}, with ${lowest}` : "CRP never falls below 0";
  return `With a recall base of ${base}, ${falls}; it ends with ${crp.at(-1)} at rank ${crp.length}, where the full scale has ${full.at(-1)}. `
    + `DCG(base=2) ends with ${dcg.at(-1).toFixed(3)}, that of the ideal ranking with ${ideal.at(-1).toFixed(3)}.`;
}
