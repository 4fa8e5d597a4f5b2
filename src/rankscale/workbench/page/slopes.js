// Slope graphs: the places of runs in two orders, the best at the top. Runs that are marked, lead or move most are named.

import { digits, h, shortNames } from "./dom.js";
import { plot } from "./plot.js";

const ROW = 15; // pixels of a row in which every run is named
const LEADERS = 3;
const MOVERS = 4;
const MOST_HEIGHT = 620;

// Places on an axis of pixels, pushed apart so that none are closer than `gap`, within two ends.
export function spread(places, gap, low, high) {
  const order = places.map((place, at) => [place, at]).sort((one, other) => one[0] - other[0]);
  let last = low - gap;
  for (const one of order) { one[0] = Math.max(one[0], last + gap); [last] = one; }
  let next = high + gap;
  for (const one of [...order].reverse()) { one[0] = Math.min(one[0], next - gap); [next] = one; }
  const made = [];
  for (const [place, at] of order) made[at] = place;
  return made;
}

// sides: [{ title, places, values }, the same of the other order]; names are those of the runs; marked is { a, b }.
export function slopes(place, { names, sides: [left, right], marked, open, words = (value) => digits(value) }) {
  const count = names.length;
  const height = Math.min(MOST_HEIGHT, Math.max(160, count * ROW + 20));
  const moves = names.map((_, run) => left.places[run] - right.places[run]); // above 0: better on the right
  const everyone = count * (ROW - 2) <= height;
  const movers = moves.map((_, run) => run).filter((run) => moves[run] !== 0).sort((one, other) => Math.abs(moves[other]) - Math.abs(moves[one])).slice(0, MOVERS);
  const named = new Set(names.map((_, run) => run).filter((run) => everyone || left.places[run] <= LEADERS || right.places[run] <= LEADERS || movers.includes(run) || names[run] === marked.a || names[run] === marked.b));
  const wide = place.clientWidth || 500;
  const room = Math.min(190, wide * 0.32);
  const short = shortNames(names, Math.max(8, Math.floor(room / 7.5)));
  const margin = room / Math.max(60, wide - 2 * room);
  const up = (one) => count + 1 - one;
  const said = (run) => {
    const move = moves[run] === 0 ? "the same place" : `${Math.abs(moves[run])} ${Math.abs(moves[run]) === 1 ? "place" : "places"} ${moves[run] > 0 ? "up" : "down"}`;
    return `${names[run]}: place ${left.places[run]} by ${left.title} (${words(left.values[run])}), place ${right.places[run]} by ${right.title} (${words(right.values[run])}), ${move}`;
  };
  let pointed = null;
  const kind = (run) => (names[run] === marked.a ? "accent" : names[run] === marked.b ? "unsure" : !named.has(run) && run !== pointed ? "soft" : moves[run] > 0 ? "good" : moves[run] < 0 ? "bad" : "soft");
  const special = (run) => names[run] === marked.a || names[run] === marked.b;
  function lines({ context, x, y, colour }) {
    const order = names.map((_, run) => run).sort((one, other) => (special(one) + named.has(one) + 3 * (one === pointed)) - (special(other) + named.has(other) + 3 * (other === pointed)));
    for (const run of order) {
      context.strokeStyle = colour(kind(run));
      context.globalAlpha = named.has(run) || run === pointed ? 1 : 0.3;
      context.lineWidth = special(run) || run === pointed ? 2.6 : named.has(run) ? 1.4 : 1;
      context.setLineDash(names[run] === marked.b ? [6, 3] : []);
      context.beginPath(); context.moveTo(x(0), y(up(left.places[run]))); context.lineTo(x(1), y(up(right.places[run]))); context.stroke();
    }
    context.setLineDash([]); context.globalAlpha = 1;
  }
  function labels({ context, x, y, colour, top, height: tall }) {
    context.textBaseline = "middle";
    const who = [...named];
    for (const [side, at, align, away] of [[left, 0, "right", -1], [right, 1, "left", 1]]) {
      context.textAlign = align;
      const ends = who.map((run) => y(up(side.places[run])));
      const apart = spread(ends, ROW - 2, top + 6, top + tall - 6);
      who.forEach((run, row) => {
        if (Math.abs(apart[row] - ends[row]) > 3) {
          context.strokeStyle = colour("line"); context.lineWidth = 1;
          context.beginPath(); context.moveTo(x(at) + 2 * away, ends[row]); context.lineTo(x(at) + 9 * away, apart[row]); context.stroke();
        }
        context.fillStyle = colour(special(run) ? kind(run) : run === pointed ? "ink" : "soft");
        const pin = names[run] === marked.a ? "A " : names[run] === marked.b ? "B " : "";
        context.fillText(`${pin}${short[run]}`, x(at) + 11 * away, apart[row]);
      });
    }
  }
  const items = [[left, 0], [right, 1]].flatMap(([side, at]) => names.map((_, run) => run).sort((one, other) => side.places[one] - side.places[other])
    .map((run) => ({ x: at, y: up(side.places[run]), key: run, text: said(run) })));
  const heads = h("p", { class: "slope-heads" }, h("strong", { style: { "min-width": `${room}px` } }, left.title), h("strong", { style: { "min-width": `${room}px` } }, right.title));
  const box = h("div");
  place.replaceChildren(heads, box);
  const most = movers.length ? `; ${names[movers[0]]} moves most, ${Math.abs(moves[movers[0]])} places` : "; none moves";
  const made = plot(box, {
    label: `Slope graph: places of ${count} runs by ${left.title} at the left and by ${right.title} at the right, the best at the top${most}`,
    height, x: { domain: [-margin, 1 + margin], hidden: true }, y: { domain: [0.5, count + 0.5], hidden: true }, within: 60,
    marks: [lines, labels], items, pointed: (run) => { pointed = run ?? null; }, open: (run) => open?.(names[run]),
  });
  return { ...made, moves };
}
