// Drawings on canvases: they fill their place, whose height is kept for them, and are drawn anew where its width or the
// colours change. They are drawn when they come near, so that a long page opens at once.
function canvasIn(place, draw) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  place.append(canvas);
  let near = false;
  const paint = () => {
    const { width, height } = place.getBoundingClientRect();
    if (!near || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, 'Segoe UI', 'Liberation Sans', sans-serif";
    draw(pen, width, height);
  };
  const show = () => {
    near = true;
    paint();
  };
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && !near && show(), { rootMargin: "600px" }).observe(place);
  new ResizeObserver(paint).observe(place);
  document.addEventListener("themechange", paint);
  window.addEventListener("beforeprint", show);
  return { canvas, paint, show };
}

// A name cut in the middle, where a room is too narrow for it: ends of names often differ most.
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let kept = text.length - 1;
  while (kept > 2 && pen.measureText(cutMiddle(text, kept)).width > room) kept -= 1;
  return cutMiddle(text, kept);
}
function cutMiddle(text, kept) {
  const letters = [...text];
  if (letters.length <= kept) return text;
  return `${letters.slice(0, Math.ceil(kept / 2)).join("")}…${letters.slice(letters.length - Math.floor(kept / 2)).join("")}`;
}

// Round values within a domain, about so many.
function ticksOf(low, high, about = 5) {
  const span = high - low || 1;
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((size) => size * power).find((size) => size >= rough);
  const ticks = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + 1e-9 * span; place += 1) ticks.push(Number((place * step).toPrecision(10)));
  return ticks;
}

// A line of words beside the pointer.
const tip = element("div", { class: "tip", hidden: true });
document.body.append(tip);
function showTip(event, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, window.innerWidth - width - 4))}px`;
  tip.style.top = `${event.clientY + 16 + height > window.innerHeight ? event.clientY - height - 8 : event.clientY + 16}px`;
}
function tipOver(place, textAt) {
  place.addEventListener("pointermove", (event) => {
    const { left, top } = place.getBoundingClientRect();
    showTip(event, textAt(event.clientX - left, event.clientY - top));
  });
  place.addEventListener("pointerleave", () => showTip(null, ""));
}
