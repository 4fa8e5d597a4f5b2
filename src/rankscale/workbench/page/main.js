// The frame: reads the state from the URL, asks for what belongs to it, and hands it to the view.

import { bar } from "./bar.js";
import { byId, h } from "./dom.js";
import { drawer } from "./drawer.js";
import { keys } from "./keys.js";
import { address, ask, current, joined, parted } from "./state.js";

const page = JSON.parse(byId("page").textContent);
const SOON = 150; // milliseconds of quiet after which a moved slider is measured
const OTHER_WIDTH = 40; // pixels by which a page is narrower or wider than it was drawn for
const modules = {};

const app = {
  page,
  answer: null,
  view: page.view,
  topicOrder: [], // of the view in sight, for walking through topics
  state: current,
  topic: () => decodeURIComponent((location.pathname.match(/^\/topic\/(.*)$/) ?? [])[1] ?? "") || current().topic || "",
  topics: () => parted(current().topics),
  // Changes the state; `quiet` leaves no step in the history, as for a slider that moves.
  go(view, changes = {}, { quiet = false } = {}) {
    const state = { ...compared(view), ...current(), ...changes };
    const topic = changes.topic ?? (view === "ranking" ? app.topic() : "");
    delete state.topic;
    if (view !== "ranking") { delete state.judge; delete state.swap; }
    const to = address(view, state, topic);
    if (to === location.pathname + location.search) return;
    if (quiet) history.replaceState(null, "", to); else history.pushState(null, "", to);
    load();
  },
  set: (changes, options) => app.go(app.view, changes, options),
  soon(changes) {
    clearTimeout(app.timer);
    app.timer = setTimeout(() => app.set(changes, { quiet: true }), SOON);
  },
  brush(topics) {
    if (topics.length > page.offered.most_topics) app.say(`${topics.length} topics are too many for a link: brush at most ${page.offered.most_topics}.`);
    else app.set({ topics: joined(topics) });
  },
  // What a table is sorted by, [column, down], or null; choosing it is a step in the history that asks the server nothing.
  sorted(table) {
    const found = sorts(current().sort).find(([name]) => name === table);
    return found ? [found[1], found[2] === "down"] : null;
  },
  sort(table, column, down) {
    const others = sorts(current().sort).filter(([name]) => name !== table);
    const sort = [...others, [table, column, down ? "down" : "up"]].map((parts) => parts.map(encodeURIComponent).join(":")).join(",");
    history.pushState(null, "", address(app.view, { ...current(), sort }, app.view === "ranking" ? app.topic() : ""));
    rail();
    exports(app.answer.frame);
  },
  link: (view, changes = {}, topic = "") => address(view, { ...kept(view), ...changes }, topic),
  openTopic: (topic, { run = "" } = {}) => drawer.open(app, topic, run), // the run is shown as A
  say: (text) => { byId("status").textContent = text; },
};
// Orders of tables, [table, column, up or down] each; one that is not written as names are is none.
function sorts(text) {
  try {
    return text ? text.split(",").map((one) => one.split(":").map(decodeURIComponent)) : [];
  } catch {
    return [];
  }
}
// The two runs that are looked at stay the same when the measure changes, but on the overview, which is about all runs.
const compared = (view) => (app.answer && view !== "overview" ? { a: app.answer.frame.a, b: app.answer.frame.b } : {});
const kept = (view) => { const { judge, swap, ...rest } = current(); return { ...compared(view), ...rest }; };

const viewOf = () => (location.pathname.startsWith("/topic/") ? "ranking" : location.pathname.slice(1) || "overview");
let request = null;
let place = location.pathname; // the page in sight: another one is shown from its top
let slow = 0; // the timer after which a visitor is told that it takes a while

async function load() {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  app.view = viewOf();
  document.body.dataset.shows = "nothing yet";
  const state = { ...current(), ...(app.view === "ranking" ? { topic: app.topic() } : {}) };
  clearTimeout(slow);
  slow = setTimeout(() => { app.say("Measuring …"); document.body.classList.add("waiting"); }, 200);
  const working = (far) => app.say(`Measuring${share(far)} Go elsewhere to leave it.`);
  try {
    await show(await ask(app.view, state, signal, working), signal);
  } catch (error) {
    if (!signal.aborted) fail(error.message);
  }
}

const share = ({ done, of }) => (of ? `: ${Math.floor((100 * done) / of)}% done.` : " …");

function arrived() {
  clearTimeout(slow);
  document.body.classList.remove("waiting");
  app.say("");
}

function fail(words) {
  arrived();
  byId("content").replaceChildren(h("p", { class: "error", role: "alert" }, words));
  byId("content").style.minHeight = "";
  document.body.dataset.shows = "all";
  rail();
}

async function show(answer, signal) {
  app.answer = answer;
  app.topicOrder = [];
  arrived();
  frame(answer);
  modules[app.view] ??= await import(`./${app.view}.js`);
  if (signal?.aborted) return;
  const shown = await steady(() => modules[app.view].render(byId("content"), answer, app));
  if (place !== location.pathname) {
    place = location.pathname;
    if (app.view === "ranking") drawer.close();
    scrollTo({ top: 0, behavior: "instant" });
  }
  const complete = () => { byId("content").style.minHeight = ""; document.body.dataset.shows = "all"; };
  if (!shown?.tests) { complete(); return; }
  document.body.dataset.shows = "values";
  const state = { ...current(), ...(app.view === "ranking" ? { topic: app.topic() } : {}), part: "tests" };
  const stop = signal ?? (request = new AbortController()).signal;
  try {
    const tested = await ask(app.view, state, stop, (far) => app.say(`Testing${share(far)} Go elsewhere to leave it.`));
    if (!stop.aborted) { app.say(""); await steady(() => shown.tests(tested.data)); }
  } catch (error) {
    if (!stop.aborted) { app.say(""); shown.tests({ why_not: error.message }); }
  }
  if (!stop.aborted) complete();
}

// Draws a view anew and leaves the visitor where they were: what has the focus keeps it by its id, and nothing jumps.
let focused = "";
async function steady(draw) {
  const content = byId("content");
  content.style.minHeight = `${content.offsetHeight}px`;
  if (document.activeElement !== document.body) focused = document.activeElement.id;
  const shown = await draw();
  if (focused && document.activeElement === document.body) byId(focused)?.focus({ preventScroll: true });
  return shown;
}

function frame({ frame: about }) {
  const link = document.querySelector(`#rail [data-view="${app.view}"]`);
  byId("title").textContent = app.view === "ranking" ? `Topic ${app.answer.data.topic}` : link.textContent;
  byId("question").textContent = app.view === "ranking" && app.answer.data.query ? app.answer.data.query : link.title;
  document.title = `${byId("title").textContent}, ${about.title}`;
  byId("counts").textContent = `${about.runs.length} run${about.runs.length === 1 ? "" : "s"}, ${about.topics} topics`;
  rail();
  bar(byId("bar"), app);
  exports(about);
}

function rail() {
  for (const link of document.querySelectorAll("#rail a")) {
    link.href = address(link.dataset.view, kept(link.dataset.view), link.dataset.view === "ranking" ? app.topic() : "");
    if (link.dataset.view === app.view) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
}

function exports(about) {
  const state = new URLSearchParams({ ...current(), ...(app.view === "ranking" ? { topic: app.answer.data.topic } : {}) });
  const download = (ending, text) => h("a", { href: `/${app.view}.${ending}?${state}`, download: `${app.view}.${ending}` }, text);
  const copy = (text, what) => h("button", { type: "button", onclick: async () => { await navigator.clipboard.writeText(text()); app.say(what === "Link" ? "Link copied: it opens in this browser while the workbench runs." : `${what} copied.`); } }, `Copy ${what.toLowerCase()}`);
  byId("exports").replaceChildren(
    h("p", {}, copy(() => location.href, "Link"), " Data: ", download("tsv", "TSV"), " ", download("json", "JSON"),
      about.has_figure ? [" Figure: ", download("pdf", "PDF"), " ", download("svg", "SVG")] : null,
      " All runs: ", h("a", { href: `/report.html?${state}`, download: "report.html" }, "report")),
    ...[[about.about_command, about.command], ...Object.entries(about.more_commands)].map(([what, line]) =>
      h("p", { class: "command" }, what ? h("span", { class: "soft" }, `${what}: `) : null, h("code", {}, line), " ", copy(() => line, "Command"))),
    ...(about.notices.length ? [h("details", {}, h("summary", {}, `${about.notices.length} notice${about.notices.length === 1 ? "" : "s"} about the files`), h("ul", {}, about.notices.map((text) => h("li", {}, text))))] : []),
  );
}

// Links within the workbench change the state without loading the page anew.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  if (link.origin !== location.origin || link.hasAttribute("download") || link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  if (link.href !== location.href) { history.pushState(null, "", link.href); load(); }
  byId("view").focus({ preventScroll: true });
});
addEventListener("popstate", load);
// Names and columns have the room that there was when they were drawn: another width draws the view anew.
let [width, resized] = [innerWidth, 0];
addEventListener("resize", () => {
  if (Math.abs(innerWidth - width) < OTHER_WIDTH) return;
  document.body.dataset.shows = "nothing yet";
  clearTimeout(resized);
  resized = setTimeout(() => { width = innerWidth; load(); }, SOON);
});
keys(app);

const first = JSON.parse(byId("answer").textContent);
if (page.status === 200) show(first); else if (page.status === 202) load(); else fail(first.error);
