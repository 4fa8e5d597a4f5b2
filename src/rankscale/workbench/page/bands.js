// Bands: what a mean is at least and at most, along an axis. A and B are filled, a few runs are named, others are grey.

import { digits, shortNames } from "./dom.js";
import { plot } from "./plot.js";
import { spread } from "./slopes.js";

const GAP = 13; // pixels between names

// bands: { across, runs, lower, upper }, of all runs or of those named; x: { of(value), title, ticks, label, unit }.
export function bands(place, { label, bands: data, named, marked, x, at = null, y = "" }) {
  const row = new Map(data.runs.map((run, number) => [run, number]));
  const shown = named.filter((run) => row.has(run));
  const others = data.runs.filter((run) => !shown.includes(run));
  const points = (run, side) => data.across.map((value, step) => [x.of(value), data[side][row.get(run)][step]]);
  const both = [marked.a, ...(marked.b === marked.a ? [] : [marked.b])].filter((run) => row.has(run));
  const kind = (run) => (run === marked.a ? "accent" : run === marked.b ? "unsure" : "ink");
  const dash = (run) => (run === marked.b ? [6, 3] : []);
  const ends = [...data.lower, ...data.upper].flat().filter((value) => value !== null);
  const [low, high] = [Math.min(0, ...ends), Math.max(...ends, 1e-9)];
  const [from, to] = [x.of(data.across[0]), x.of(data.across.at(-1))];
  const wide = place.clientWidth || 500;
  const room = Math.min(150, wide * 0.3);
  const short = shortNames(shown, Math.max(8, Math.floor(room / 7.5)));
  const end = to + (to - from || 1) * (room / Math.max(80, wide - room - 50));
  const stroke = ({ context, x: across, y: up }, run, side) => {
    context.beginPath();
    points(run, side).forEach(([px, py], step) => { if (step) context.lineTo(across(px), up(py)); else context.moveTo(across(px), up(py)); });
    context.stroke();
  };
  function grey(draw) {
    draw.context.strokeStyle = draw.colour("soft"); draw.context.lineWidth = 0.8; draw.context.globalAlpha = Math.max(0.12, Math.min(0.5, 12 / others.length));
    for (const run of others) for (const side of ["lower", "upper"]) stroke(draw, run, side);
    draw.context.globalAlpha = 1;
  }
  function filled(draw) {
    const { context, x: across, y: up, colour } = draw;
    for (const run of both) {
      context.fillStyle = colour(kind(run)); context.globalAlpha = 0.22;
      context.beginPath();
      points(run, "lower").forEach(([px, py], step) => { if (step) context.lineTo(across(px), up(py)); else context.moveTo(across(px), up(py)); });
      for (const [px, py] of points(run, "upper").reverse()) context.lineTo(across(px), up(py));
      context.closePath(); context.fill(); context.globalAlpha = 1;
    }
  }
  function lines(draw) {
    const { context, colour } = draw;
    for (const run of [...shown].reverse()) {
      context.strokeStyle = colour(kind(run)); context.lineWidth = both.includes(run) ? 2 : 1; context.setLineDash(dash(run));
      stroke(draw, run, "lower");
      if (!both.includes(run)) context.setLineDash([1, 3]);
      stroke(draw, run, "upper");
    }
    context.setLineDash([]);
  }
  function names({ context, x: across, y: up, colour, top, height }) {
    const last = data.across.length - 1;
    const places = shown.map((run) => up((data.lower[row.get(run)][last] + data.upper[row.get(run)][last]) / 2));
    const apart = spread(places, GAP, top + 6, top + height - 6);
    context.textAlign = "left"; context.textBaseline = "middle";
    shown.forEach((run, number) => {
      context.strokeStyle = colour("line"); context.lineWidth = 1;
      context.beginPath(); context.moveTo(across(to) + 2, places[number]); context.lineTo(across(to) + 9, apart[number]); context.stroke();
      context.fillStyle = colour(kind(run));
      context.fillText(`${run === marked.a ? "A " : run === marked.b ? "B " : ""}${short[number]}`, across(to) + 11, apart[number]);
    });
  }
  const chosen = (draw) => {
    if (at === null || x.of(at) < from || x.of(at) > to) return;
    draw.context.strokeStyle = draw.colour("ink"); draw.context.lineWidth = 1; draw.context.setLineDash([2, 3]);
    draw.context.beginPath(); draw.context.moveTo(draw.x(x.of(at)), draw.top); draw.context.lineTo(draw.x(x.of(at)), draw.top + draw.height); draw.context.stroke();
    draw.context.setLineDash([]);
  };
  const said = (step) => `${x.unit} ${data.across[step]}: ${shown.map((run) => `${run === marked.a ? "A " : run === marked.b ? "B " : ""}${run} ${digits(data.lower[row.get(run)][step])} to ${digits(data.upper[row.get(run)][step])}`).join("; ")}`;
  return plot(place, {
    label, height: 280, x: { domain: [from, end], title: x.title, ticks: x.ticks, label: x.label }, y: { domain: [low, high], title: y },
    marks: [grey, filled, lines, names, chosen], nearX: true, within: 40,
    items: data.across.map((value, step) => ({ x: x.of(value), y: data.upper[row.get(shown[0])]?.[step] ?? high, key: value, text: said(step) })),
  });
}
