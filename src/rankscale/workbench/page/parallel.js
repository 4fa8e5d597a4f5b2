// Parallel coordinates on a canvas: a line for each topic over axes from 0 to 1. Ranges of axes are brushed by dragging
// along an axis, or with Shift and the arrow keys; arrow keys walk through lines and axes; a click or Enter opens a line.

import { canvasIn, colour, keepDrawn } from "./plot.js";

const SIZE = 12; // of type, in pixels
const MARGIN = { left: 34, right: 34, top: 12, bottom: 24 };
const ON_AXIS = 14; // pixels to either side that belong to an axis
const ON_LINE = 9; // pixels from a line that point at it

// settings:
//   label, keep, height   as for plot()
//   names, labels         of the axes
//   lines                 [{ key, text, values }]: a value for each axis, null where there is none; drawn between 0 and 1
//   within                a Set of the keys that stand out, or null where all lines do
//   selected              a Set of keys that are drawn thicker
//   ranges                { name: [from, to] }; brushed(ranges) is called with new ones
//   open                  called with the key of a line
export function parallel(place, settings) {
  const { names, labels, lines, within = null, selected = new Set(), height } = settings;
  const { canvas, tip, spoken, box, context, store, recall } = canvasIn(place, settings);
  let width = 300;
  let at = -1; // the line pointed at
  let axis = 0; // where arrow keys walk
  let anchor = null; // value at which a brush by keys starts
  let drag = null; // { axis, from, to }
  const clipped = (value) => Math.min(1, Math.max(0, value));
  const x = (place_) => MARGIN.left + (place_ * (width - MARGIN.left - MARGIN.right)) / Math.max(1, names.length - 1);
  const y = (value) => MARGIN.top + (1 - clipped(value)) * (height - MARGIN.top - MARGIN.bottom);
  const value = (py) => clipped(1 - (py - MARGIN.top) / (height - MARGIN.top - MARGIN.bottom));

  function trace(line) {
    context.beginPath();
    let down = false;
    line.values.forEach((one, place_) => {
      if (one === null) { down = false; return; }
      if (down) context.lineTo(x(place_), y(one)); else context.moveTo(x(place_), y(one));
      down = true;
    });
    context.stroke();
  }
  function redraw() {
    width = box.clientWidth || 300;
    const ratio = devicePixelRatio || 1;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const out = (line) => within !== null && !within.has(line.key);
    context.lineWidth = 1;
    context.strokeStyle = colour("soft"); context.globalAlpha = 0.15;
    lines.filter(out).forEach(trace);
    context.strokeStyle = colour("accent"); context.globalAlpha = Math.min(0.8, Math.max(0.15, 60 / Math.max(1, lines.length)));
    lines.filter((line) => !out(line)).forEach(trace);
    context.globalAlpha = 1; context.lineWidth = 2; context.strokeStyle = colour("bad");
    lines.filter((line) => selected.has(line.key)).forEach(trace);
    axes();
    store();
    follow();
  }
  function axes() {
    context.font = `${SIZE}px system-ui, sans-serif`;
    context.lineWidth = 1;
    names.forEach((name, place_) => {
      context.strokeStyle = colour("ink"); context.fillStyle = colour("ink");
      context.beginPath(); context.moveTo(x(place_), y(1)); context.lineTo(x(place_), y(0)); context.stroke();
      context.textAlign = "center"; context.textBaseline = "bottom";
      context.fillText(labels[place_], x(place_), height - 2);
      context.beginPath();
      if (lines.some((line) => line.values[place_] > 1)) { context.moveTo(x(place_), 1); context.lineTo(x(place_) + 5, 9); context.lineTo(x(place_) - 5, 9); }
      if (lines.some((line) => line.values[place_] !== null && line.values[place_] < 0)) { context.moveTo(x(place_), y(0) + 9); context.lineTo(x(place_) + 5, y(0) + 1); context.lineTo(x(place_) - 5, y(0) + 1); }
      context.fill();
      const range = settings.ranges[name];
      if (range) { context.fillStyle = colour("accent"); context.globalAlpha = 0.35; context.fillRect(x(place_) - 8, y(range[1]), 16, Math.max(2, y(range[0]) - y(range[1]))); context.globalAlpha = 1; }
    });
    context.fillStyle = colour("soft"); context.textAlign = "right"; context.textBaseline = "middle";
    for (const tick of [0, 0.5, 1]) context.fillText(String(tick), x(0) - 6, y(tick));
  }
  function follow() {
    recall();
    if (drag) { context.fillStyle = colour("accent"); context.globalAlpha = 0.3; context.fillRect(x(drag.axis) - 10, Math.min(y(drag.from), y(drag.to)), 20, Math.abs(y(drag.from) - y(drag.to))); context.globalAlpha = 1; }
    if (at < 0) return;
    context.strokeStyle = colour("ink"); context.lineWidth = 3;
    trace(lines[at]);
    if (document.activeElement !== canvas || lines[at].values[axis] === null) return;
    context.beginPath(); context.arc(x(axis), y(lines[at].values[axis]), 6, 0, 2 * Math.PI); context.stroke();
  }
  function nearest(px, py) {
    const step = (width - MARGIN.left - MARGIN.right) / Math.max(1, names.length - 1);
    const left = Math.min(names.length - 2, Math.max(0, Math.floor((px - MARGIN.left) / step)));
    const share = (px - x(left)) / step;
    let [found, least] = [-1, ON_LINE];
    lines.forEach((line, row) => {
      const [from, to] = [line.values[left], line.values[left + 1]];
      if (from === null || to === null || (within !== null && !within.has(line.key))) return;
      const away = Math.abs(y(from) + share * (y(to) - y(from)) - py);
      if (away < least) [found, least] = [row, away];
    });
    return found;
  }
  function show(row, px, py, aloud) {
    at = row;
    tip.hidden = row < 0;
    if (row >= 0) {
      tip.textContent = lines[row].text;
      tip.style.left = `${Math.min(Math.max(0, px + 12), width - Math.min(260, tip.offsetWidth) - 4)}px`;
      tip.style.top = `${Math.max(0, Math.min(height - tip.offsetHeight, py + 12))}px`;
      if (aloud) spoken.textContent = `${labels[axis]}: ${lines[row].text}`;
    }
    follow();
  }
  const change = (name, range) => settings.brushed({ ...settings.ranges, [name]: range });
  const axisAt = (px) => names.findIndex((_, place_) => Math.abs(x(place_) - px) <= ON_AXIS);

  canvas.addEventListener("pointermove", (event) => {
    if (drag) { drag.to = value(event.offsetY); follow(); return; }
    canvas.style.cursor = axisAt(event.offsetX) >= 0 ? "ns-resize" : "default";
    show(nearest(event.offsetX, event.offsetY), event.offsetX, event.offsetY, false);
  });
  canvas.addEventListener("pointerleave", () => { if (!drag) show(-1, 0, 0, false); });
  canvas.addEventListener("pointerdown", (event) => {
    const place_ = axisAt(event.offsetX);
    if (event.button !== 0 || place_ < 0) return;
    drag = { axis: place_, from: value(event.offsetY), to: value(event.offsetY) };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    const moved = drag;
    drag = null;
    if (moved && Math.abs(y(moved.from) - y(moved.to)) > 4) { change(names[moved.axis], [Math.min(moved.from, moved.to), Math.max(moved.from, moved.to)]); return; }
    const row = nearest(event.offsetX, event.offsetY);
    if (row >= 0) settings.open(lines[row].key);
    else if (moved && settings.ranges[names[moved.axis]]) change(names[moved.axis], null);
    follow();
  });
  // Lines in the order of the axis that arrow keys walk on, the highest first.
  const walk = () => lines.map((_, row) => row).filter((row) => lines[row].values[axis] !== null && (within === null || within.has(lines[row].key)))
    .sort((one, other) => lines[other].values[axis] - lines[one].values[axis]);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const aside = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step !== undefined) {
      const order = walk();
      if (!order.length) return;
      if (event.shiftKey) anchor ??= lines[at < 0 ? order[0] : at].values[axis]; else anchor = null;
      const next = order[Math.min(order.length - 1, Math.max(0, at < 0 ? 0 : order.indexOf(at) + step))];
      drag = anchor === null ? null : { axis, from: clipped(anchor), to: clipped(lines[next].values[axis]) };
      show(next, x(axis), y(lines[next].values[axis]), true);
    } else if (aside !== undefined) {
      axis = Math.min(names.length - 1, Math.max(0, axis + aside));
      [anchor, drag] = [null, null];
      spoken.textContent = `Axis ${labels[axis]}`;
      const row = at >= 0 ? at : walk()[0] ?? -1;
      show(row, x(axis), row < 0 ? 0 : y(lines[row].values[axis] ?? 0), true);
    } else if (event.key === "Enter" && drag) {
      const { from, to } = drag;
      [anchor, drag] = [null, null];
      change(names[axis], [Math.min(from, to), Math.max(from, to)]);
    } else if (event.key === "Enter" && at >= 0) settings.open(lines[at].key);
    else if (event.key === "Escape" && drag) { [anchor, drag] = [null, null]; follow(); } else if (event.key === "Escape" && Object.keys(settings.ranges).length && !document.body.classList.contains("with-drawer")) settings.brushed({});
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("blur", () => { [anchor, drag] = [null, null]; show(-1, 0, 0, false); });
  keepDrawn(box, redraw);
}
