// Plots on a canvas: axes, bars, points, lines, cells. Whatever can be pointed at is an item with a place, a key and a
// text; items are pointed at with the mouse or walked through with arrow keys, opened with Enter, and brushed by
// dragging or with Shift and arrows. One canvas holds thousands of items without a node for each.

import { h } from "./dom.js";

const SIZE = 12; // of type, in pixels
const GAP = 8;

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A canvas in a box, with its tip and what is read aloud. store() keeps what is drawn, recall() draws that again, without
// what followed the pointer.
export function canvasIn(place, settings) {
  const canvas = h("canvas", { id: settings.keep, tabindex: settings.still ? undefined : "0", role: "img", "aria-label": settings.label, "aria-roledescription": "chart" });
  const tip = h("div", { class: "tip", hidden: true });
  const spoken = h("span", { class: "spoken", "aria-live": "polite" });
  const box = h("div", { class: "plot" }, canvas, tip, spoken);
  place.replaceChildren(box);
  const context = canvas.getContext("2d");
  const drawn = document.createElement("canvas");
  const store = () => {
    Object.assign(drawn, { width: canvas.width, height: canvas.height });
    drawn.getContext("2d").drawImage(canvas, 0, 0);
  };
  const recall = () => {
    context.save();
    context.resetTransform();
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(drawn, 0, 0);
    context.restore();
  };
  return { canvas, tip, spoken, box, context, store, recall };
}

// Draw now, and again where the size of a box or the theme changes, as long as the view is there.
export function keepDrawn(box, redraw) {
  const watch = new ResizeObserver(() => {
    if (box.isConnected) { redraw(); return; }
    watch.disconnect(); // the view has gone
    document.removeEventListener("themechange", redraw);
  });
  watch.observe(box);
  document.addEventListener("themechange", redraw);
  redraw();
}

// Round numbers within a span: about `count` of them.
export function ticks(low, high, count = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const first = Math.ceil(low / step - 1e-9) * step;
  const made = [];
  for (let value = first; value <= high + step * 1e-6; value += step) made.push(Math.abs(value) < step * 1e-6 ? 0 : value);
  return made;
}
const written = (value, span) => {
  const places = span >= 10 ? 0 : span >= 1 ? 1 : span >= 0.1 ? 2 : 3;
  const text = Math.abs(value) >= 1000 ? value.toLocaleString("en") : value.toFixed(Number.isInteger(value) && span >= 2 ? 0 : places);
  return text.replace("-", "−");
};

// plot(place, settings) draws into an element and gives back { redraw, select, focus }.
//   label     what is to be seen, for those who cannot see it
//   height    in pixels
//   x, y      { domain: [low, high], title, ticks, names }: names make a scale of bands; y grows upwards;
//             x may have label(value), the text of a tick;
//             of more names than fit some are written, those of the rows in y.always among them;
//             y.room keeps at least so many pixels for what is written, so that plots above one another align
//   marks     functions (draw) => ..., called in order; `draw` has context, x(), y(), width, height, colour()
//   items     [{ x, y, key, text }], in the order of the arrow keys; x2 and y2 make areas
//   brush     "x", "xy" or none; brushed(keys, box) is called when the visitor lets go; box is { x: [from, to], y: ... }
//             in the units of the axes, null where keys brushed or nothing is brushed any more
//   within    pixels from an item at which it is still pointed at; 24 by default
//   open      called with the key of the item that is clicked, or Enter is pressed on, and with the item
//   selected  a Set of keys that stand out
//   grid      number of columns, where items are the cells of a grid, row by row from the top; keys are those of columns
//   keep      a name by which the chart gets the focus back when its view is drawn anew
//   still     nothing to point at, and no stop of the tab key
export function plot(place, settings) {
  const { canvas, tip, spoken, box, context, store, recall } = canvasIn(place, settings);
  let area = { left: 0, top: 0, width: 1, height: 1 };
  let at = -1; // the item pointed at
  let anchor = -1; // where a brush by keys starts
  let drag = null;
  let { selected = new Set() } = settings;
  const scale = (axis, from, to) => {
    if (axis.names) {
      const step = (to - from) / Math.max(1, axis.names.length);
      return (place_) => from + (place_ + 0.5) * step;
    }
    const [low, high] = axis.domain;
    return (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  };
  const xs = () => scale(settings.x, area.left, area.left + area.width);
  const ys = () => scale(settings.y, area.top + area.height, area.top);

  function layout() {
    const width = box.clientWidth || 300;
    const height = settings.height;
    context.font = `${SIZE}px system-ui, sans-serif`;
    const labels = settings.y.names ?? (settings.y.ticks ?? ticks(...settings.y.domain)).map((value) => written(value, settings.y.domain[1] - settings.y.domain[0]));
    const left = settings.y.hidden ? GAP : Math.min(width * 0.35, Math.max(settings.y.room ?? 0, ...labels.map((text) => context.measureText(text).width))) + GAP + (settings.y.title ? SIZE + 4 : 0);
    const bottom = settings.x.hidden ? GAP : SIZE + GAP + (settings.x.title ? SIZE + 6 : 0);
    area = { left, top: GAP, width: width - left - GAP, height: height - GAP - bottom };
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  function axes() {
    const { left, top, width, height } = area;
    const [x, y] = [xs(), ys()];
    const centred = (text, at_) => context.fillText(text, Math.min(at_, left + width + GAP - context.measureText(text).width / 2), top + height + 4); // nothing is cut at the right
    context.font = `${SIZE}px system-ui, sans-serif`;
    context.lineWidth = 1;
    context.strokeStyle = colour("line");
    context.fillStyle = colour("soft");
    if (!settings.y.hidden && !settings.y.names) {
      const span = settings.y.domain[1] - settings.y.domain[0];
      context.textAlign = "right";
      context.textBaseline = "middle";
      for (const value of settings.y.ticks ?? ticks(...settings.y.domain)) {
        context.beginPath(); context.moveTo(left, y(value)); context.lineTo(left + width, y(value)); context.stroke();
        context.fillText(written(value, span), left - 5, y(value));
      }
    } else if (settings.y.names && !settings.y.hidden) {
      context.textAlign = "right";
      context.textBaseline = "middle";
      const step = height / settings.y.names.length;
      const every = Math.max(1, Math.ceil((SIZE + 1) / step));
      const always = (settings.y.always ?? []).filter((row, place_, all) => all.slice(0, place_).every((one) => Math.abs(one - row) >= every));
      settings.y.names.forEach((name, row) => {
        const named = always.includes(row) || (row % every === 0 && !always.some((one) => Math.abs(one - row) < every));
        if (named) context.fillText(fitted(name, left - 6), left - 5, y(row));
      });
    }
    if (!settings.x.hidden && !settings.x.names) {
      const span = settings.x.domain[1] - settings.x.domain[0];
      context.textAlign = "center";
      context.textBaseline = "top";
      for (const value of settings.x.ticks ?? ticks(...settings.x.domain, Math.max(2, Math.floor(width / 80)))) {
        context.beginPath(); context.moveTo(x(value), top); context.lineTo(x(value), top + height); context.stroke();
        centred(settings.x.label ? settings.x.label(value) : written(value, span), x(value));
      }
    } else if (settings.x.names && !settings.x.hidden) {
      context.textAlign = "center";
      context.textBaseline = "top";
      const step = width / settings.x.names.length;
      const widest = Math.max(...settings.x.names.slice(0, 200).map((name) => context.measureText(name).width)) + 6;
      const every = Math.max(1, Math.ceil(widest / step));
      settings.x.names.forEach((name, row) => { if (row % every === 0) centred(fitted(name, 120), x(row)); });
    }
    context.fillStyle = colour("ink");
    if (settings.x.title && !settings.x.hidden) {
      context.textAlign = "center"; context.textBaseline = "bottom";
      context.fillText(fitted(settings.x.title, width), left + width / 2, settings.height - 1);
    }
    if (settings.y.title && !settings.y.hidden) {
      context.save();
      context.translate(SIZE - 2, top + height / 2); context.rotate(-Math.PI / 2);
      context.textAlign = "center"; context.textBaseline = "bottom";
      context.fillText(fitted(settings.y.title, height), 0, 2);
      context.restore();
    }
  }
  function fitted(text, room) {
    if (context.measureText(text).width <= room) return text;
    let cut = text;
    while (cut.length > 4 && context.measureText(`${cut}…`).width > room) cut = cut.slice(0, -1);
    return `${cut}…`;
  }

  const items = () => settings.items ?? [];
  const point = (item) => [xs()(item.x), ys()(item.y)];
  function redraw() {
    layout();
    context.clearRect(0, 0, canvas.width, canvas.height);
    axes();
    const inks = {}; // asked for once, not for every point
    const draw = { context, x: xs(), y: ys(), ...area, colour: (name) => (inks[name] ??= colour(name)), selected, fitted };
    context.save();
    context.beginPath(); context.rect(area.left - 6, area.top - 6, area.width + 12, area.height + 12); context.clip();
    for (const mark of settings.marks) mark(draw);
    context.restore();
    store();
    follow();
  }
  // What follows the pointer, over what is drawn already.
  function follow() {
    recall();
    if (drag) {
      context.fillStyle = colour("accent"); context.globalAlpha = 0.15;
      const [l, t, r, b] = corners();
      context.fillRect(l, t, r - l, b - t);
      context.globalAlpha = 1;
    }
    if (at >= 0 && items()[at]) {
      const [px, py] = point(items()[at]);
      context.strokeStyle = colour("ink"); context.lineWidth = 2;
      context.beginPath();
      if (settings.grid) {
        const [wide, high] = [area.width / settings.grid, (area.height * settings.grid) / items().length].map((size) => Math.max(6, size));
        context.rect(px - wide / 2, py - high / 2, wide, high);
      } else context.arc(px, py, 6, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  function corners() {
    const [l, r] = [Math.min(drag.x, drag.toX), Math.max(drag.x, drag.toX)];
    if (settings.brush === "x") return [l, area.top, r, area.top + area.height];
    return [l, Math.min(drag.y, drag.toY), r, Math.max(drag.y, drag.toY)];
  }
  function nearest(px, py, within = settings.within ?? 24) {
    if (settings.grid) {
      const rows = items().length / settings.grid;
      const [column, row] = [((px - area.left) / area.width) * settings.grid, ((py - area.top) / area.height) * rows].map(Math.floor);
      return column >= 0 && column < settings.grid && row >= 0 && row < rows ? row * settings.grid + column : -1;
    }
    let found = -1;
    let least = within * within;
    const [x, y] = [xs(), ys()];
    items().forEach((item, row) => {
      const dx = x(item.x) - px;
      const dy = settings.brush === "x" || settings.nearX ? 0 : y(item.y) - py;
      if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; found = row; }
    });
    return found;
  }
  function show(row, aloud) {
    at = row;
    const item = items()[row];
    tip.hidden = !item;
    if (item) {
      tip.textContent = item.text;
      const [px, py] = point(item);
      const left = Math.min(Math.max(0, px + 12), box.clientWidth - Math.min(260, tip.offsetWidth) - 4);
      tip.style.left = `${left}px`;
      tip.style.top = `${Math.max(0, Math.min(settings.height - tip.offsetHeight, py + 12))}px`;
      if (aloud) spoken.textContent = item.text;
    }
    settings.pointed?.(item?.key);
    follow();
  }
  const finish = (keys, box_ = null) => { selected = new Set(keys); redraw(); settings.brushed?.([...selected], box_); };
  const open = (row) => settings.open?.(items()[row].key, items()[row]);

  if (settings.still) canvas.style.pointerEvents = "none";
  canvas.addEventListener("pointermove", (event) => {
    if (drag) { Object.assign(drag, { toX: event.offsetX, toY: event.offsetY }); follow(); return; }
    show(nearest(event.offsetX, event.offsetY), false);
  });
  canvas.addEventListener("pointerleave", () => { if (!drag) show(-1, false); });
  canvas.addEventListener("pointerdown", (event) => {
    if (!settings.brush || event.button !== 0) return;
    drag = { x: event.offsetX, y: event.offsetY, toX: event.offsetX, toY: event.offsetY };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    const moved = drag && (Math.abs(drag.toX - drag.x) > 4 || Math.abs(drag.toY - drag.y) > 4);
    const box_ = drag && corners();
    drag = null;
    if (moved) {
      const [l, t, r, b] = box_;
      const inside = items().filter((item) => { const [px, py] = point(item); return px >= l && px <= r && (settings.brush === "x" || (py >= t && py <= b)); });
      const back = (axis, share) => axis.domain && axis.domain[0] + share * (axis.domain[1] - axis.domain[0]);
      const [x, y] = [[l, r].map((at_) => back(settings.x, (at_ - area.left) / area.width)), [b, t].map((at_) => back(settings.y, (area.top + area.height - at_) / area.height))];
      finish(inside.map((item) => item.key), { x, y });
      return;
    }
    const row = nearest(event.offsetX, event.offsetY);
    if (row >= 0) open(row);
    else if (settings.brush && selected.size) finish([]);
    redraw();
  });
  canvas.addEventListener("keydown", (event) => {
    const last = items().length - 1;
    const down = settings.grid ?? 1;
    const step = { ArrowRight: 1, ArrowDown: down, ArrowLeft: -1, ArrowUp: -down, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined || event.key === "Home" || event.key === "End") {
      const before = at;
      const to_ = at < 0 ? 0 : at + step;
      const beyond = settings.grid && (to_ < 0 || to_ > last);
      const next = event.key === "Home" ? 0 : event.key === "End" ? last : beyond ? at : Math.min(last, Math.max(0, to_));
      show(next, true);
      if (event.shiftKey && settings.brush) {
        if (anchor < 0) anchor = Math.max(0, before);
        const ends = [anchor, next].map((row) => (settings.grid ? row % settings.grid : row));
        const [from, to] = [Math.min(...ends), Math.max(...ends)];
        selected = new Set(items().slice(from, to + 1).map((item) => item.key));
        redraw();
      } else anchor = -1;
    } else if (event.key === "Enter" && at >= 0) {
      if (anchor >= 0) { anchor = -1; finish([...selected]); } else open(at);
    } else if (event.key === "Escape" && (anchor >= 0 || (selected.size && !document.body.classList.contains("with-drawer")))) {
      anchor = -1; finish([]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("blur", () => show(-1, false));
  keepDrawn(box, redraw);
  return { redraw, canvas, select: (keys) => { selected = new Set(keys); redraw(); }, point: (key) => show(items().findIndex((item) => item.key === key), false) };
}

// Marks that several views draw.
export const marks = {
  // Bars from 0 to each value over bands; kinds give the colours.
  bars: (values, kinds, names, thick = 0.85) => ({ context, x, y, width, selected, colour: ink }) => {
    const step = width / values.length;
    values.forEach((value, row) => {
      if (value === null) return;
      context.fillStyle = ink(kinds[row]);
      context.globalAlpha = selected.size && !selected.has(names[row]) ? 0.3 : 1;
      const [from, to] = [y(0), y(value)];
      context.fillRect(x(row) - (step * thick) / 2, Math.min(from, to), Math.max(1, step * thick), Math.max(1, Math.abs(to - from)));
    });
    context.globalAlpha = 1;
  },
  points: (items, radius = 3.5) => ({ context, x, y, selected, colour: ink }) => {
    for (const item of items) {
      context.globalAlpha = selected.size && !selected.has(item.key) ? 0.2 : 0.8;
      context.fillStyle = ink(item.kind ?? "accent");
      context.beginPath(); context.arc(x(item.x), y(item.y), radius, 0, 2 * Math.PI); context.fill();
    }
    context.globalAlpha = 1;
  },
  line: (points, kind = "ink", dash = [], thick = 1.8) => ({ context, x, y, colour: ink }) => {
    context.strokeStyle = ink(kind); context.lineWidth = thick; context.setLineDash(dash);
    context.beginPath();
    let down = false;
    for (const [px, py] of points) {
      if (py === null) { down = false; continue; }
      if (down) context.lineTo(x(px), y(py)); else context.moveTo(x(px), y(py));
      down = true;
    }
    context.stroke(); context.setLineDash([]);
  },
  rule: ({ x: at, y: up }, kind = "ink", dash = []) => ({ context, x, y, left, top, width, height, colour: ink }) => {
    context.strokeStyle = ink(kind); context.lineWidth = 1; context.setLineDash(dash);
    context.beginPath();
    if (at !== undefined) { context.moveTo(x(at), top); context.lineTo(x(at), top + height); }
    if (up !== undefined) { context.moveTo(left, y(up)); context.lineTo(left + width, y(up)); }
    context.stroke(); context.setLineDash([]);
  },
  text: (at, up, words, kind = "soft", align = "left") => ({ context, x, y, colour: ink }) => {
    context.fillStyle = ink(kind); context.textAlign = align; context.textBaseline = "bottom";
    context.fillText(words, x(at), y(up) - 3);
  },
};
