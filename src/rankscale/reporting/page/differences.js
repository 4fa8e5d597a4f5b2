// Differences of two runs by topic: a bar for each, the largest first. Takes plain data: `names` of topics and their
// `differences`, both in order. Where bars would be thinner than two pixels, neighbours are drawn together as their mean.
// `pick(place)` is called where a bar is chosen: by a click, or by arrows and Enter.
function drawDifferences(place, { label, pick }) {
  let data = { names: [], differences: [], better: "", worse: "" };
  let at = 0;
  const margin = { left: 46, right: 4, top: 18, bottom: 18 };
  Object.assign(place, { tabIndex: 0 });
  place.setAttribute("role", "slider");
  const bars = (width) => Math.max(1, Math.min(data.names.length, Math.floor((width - margin.left - margin.right) / 2)));
  const placeAt = (x, width) => {
    const share = (x - margin.left) / (width - margin.left - margin.right);
    return Math.max(0, Math.min(data.names.length - 1, Math.floor(share * data.names.length)));
  };
  const { canvas, paint, show } = canvasIn(place, (pen, width, height) => {
    const [low, high] = data.differences.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [0, 1e-12]);
    const inner = width - margin.left - margin.right;
    const scale = (height - margin.top - margin.bottom) / (high - low);
    const middle = margin.top + high * scale; // where 0 is
    pen.textBaseline = "middle";
    for (const tick of ticksOf(low, high, 5)) {
      const y = middle - tick * scale;
      pen.fillStyle = colour("line");
      pen.fillRect(margin.left, y, inner, tick === 0 ? 1.5 : 0.5);
      pen.fillStyle = colour("soft");
      pen.textAlign = "right";
      pen.fillText(signed(tick, tick === 0 ? 0 : Math.min(4, Math.max(1, -Math.floor(Math.log10(Math.abs(tick)))))), margin.left - 4, y);
    }
    const count = bars(width);
    for (let bar = 0; bar < count; bar += 1) {
      const [from, to] = [Math.floor((bar * data.names.length) / count), Math.floor(((bar + 1) * data.names.length) / count)];
      const some = data.differences.slice(from, to);
      const mean = some.reduce((sum, one) => sum + one, 0) / some.length;
      pen.fillStyle = colour(mean >= 0 ? "one" : "other");
      const x = margin.left + (bar / count) * inner;
      const thick = Math.max(1, inner / count - (inner / count > 4 ? 1 : 0));
      pen.fillRect(x, Math.min(middle, middle - mean * scale), thick, Math.max(0.5, Math.abs(mean * scale)));
    }
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 1;
    const x = margin.left + ((at + 0.5) / Math.max(1, data.names.length)) * inner;
    pen.strokeRect(x - Math.max(2, inner / count / 2), margin.top, Math.max(4, inner / count), height - margin.top - margin.bottom);
    pen.fillStyle = colour("soft");
    pen.textAlign = "left";
    pen.fillText(fitted(pen, data.better, inner), margin.left, 8);
    pen.textAlign = "right";
    pen.fillText(fitted(pen, data.worse, inner), width - margin.right, height - 8);
  });
  const words = (index) => (data.names.length ? `topic ${data.names[index]}: ${signed(data.differences[index])}` : "");
  const move = (to) => {
    at = Math.max(0, Math.min(data.names.length - 1, to));
    place.setAttribute("aria-valuenow", at + 1);
    place.setAttribute("aria-valuetext", words(at));
    paint();
  };
  canvas.addEventListener("click", (event) => {
    move(placeAt(event.offsetX, place.clientWidth));
    pick(at);
  });
  place.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    if (event.key in steps) move(at + steps[event.key] === -Infinity ? 0 : Math.min(at + steps[event.key], data.names.length - 1));
    else if (event.key === "Enter" || event.key === " ") pick(at);
    else return;
    event.preventDefault();
  });
  tipOver(place, (x) => words(placeAt(x, place.clientWidth)));
  return {
    show,
    move,
    set(given) {
      data = given;
      place.setAttribute("aria-label", label(given));
      place.setAttribute("aria-valuemin", 1);
      place.setAttribute("aria-valuemax", Math.max(1, given.names.length));
      move(0);
    },
  };
}
