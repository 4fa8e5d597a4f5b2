// Cells in colours on a canvas, and the key of these colours. One picture of as many pixels as there are cells is
// stretched over the plot, however many there are.

import { digits, h } from "./dom.js";
import { colour } from "./plot.js";

const STEPS = 5; // of the key, to either side

// "#16c" or "#1166cc" as three numbers.
export const parts = (hex) => (hex.length === 4 ? [...hex.slice(1)].map((one) => one + one) : hex.slice(1).match(/../g)).map((one) => parseInt(one, 16));
const between = (from, to, share) => from.map((one, at) => one + (to[at] - one) * share);

// Colours by value: from the ground to the accent for [low, high]; with `middle`, from there to both sides.
const shades = ({ low, high, middle = null, swapped = false }) => {
  const [ground, up, down] = [colour("ground"), colour(swapped ? "bad" : "accent"), colour(swapped ? "accent" : "bad")].map(parts);
  const share = (value, end, from) => Math.min(1, Math.max(0, (value - from) / (end - from || 1)));
  if (middle === null) return (value) => between(ground, up, 0.06 + 0.94 * share(value, high, low));
  return (value) => (value >= middle ? between(ground, up, share(value, high, middle)) : between(ground, down, share(value, low, middle)));
};

// A mark for plot(): cells as rows of values; columns that are not selected are veiled where some are.
export const cells = (rows, scale) => ({ context, left, top, width, height, selected, colour: ink }) => {
  const columns = rows[0]?.length ?? 0;
  if (!columns) return;
  const [shade, missing] = [shades(scale), parts(ink("line"))];
  const image = document.createElement("canvas");
  Object.assign(image, { width: columns, height: rows.length });
  const pixels = image.getContext("2d").createImageData(columns, rows.length);
  rows.forEach((row, down) => row.forEach((value, across) => pixels.data.set([...(value === null ? missing : shade(value)), 255], 4 * (down * columns + across))));
  image.getContext("2d").putImageData(pixels, 0, 0);
  context.imageSmoothingEnabled = columns > width || rows.length > height;
  context.drawImage(image, left, top, width, height);
  if (!selected.size) return;
  context.fillStyle = ink("ground"); context.globalAlpha = 0.7;
  for (let column = 0; column < columns; column += 1) if (!selected.has(column)) context.fillRect(left + (column * width) / columns, top, width / columns, height);
  context.globalAlpha = 1;
};

// The key: swatches between the lowest and the highest value, and that of cells without a value.
export function key({ low, high, middle = null, swapped = false }, words, missing) {
  const mix = (name, share) => h("span", { class: "step", style: { "background-color": `color-mix(in srgb, var(--${name}) ${Math.round(100 * share)}%, var(--ground))` } });
  const steps = (name) => Array.from({ length: STEPS }, (_, at) => mix(name, (at + 1) / STEPS));
  const [up, down] = swapped ? ["bad", "accent"] : ["accent", "bad"];
  return h("p", { class: "key soft" }, words, " ", digits(low, 2), " ", h("span", { class: "steps", "aria-hidden": "true" }, middle === null ? steps(up) : [steps(down).reverse(), mix(up, 0), steps(up)]), " ", digits(high, 2),
    missing ? ["; no value: ", h("span", { class: "steps", "aria-hidden": "true" }, h("span", { class: "step", style: { "background-color": "var(--line)" } }))] : null);
}
