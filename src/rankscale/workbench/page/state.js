// The state is the query of the URL. Views change it; this module fetches what belongs to it, newest request first.

export const current = () => Object.fromEntries(new URLSearchParams(location.search));

// The address of a view in a state; what is empty is left out.
export function address(view, state, topic) {
  const kept = Object.entries(state).filter(([name, value]) => value !== "" && value !== undefined && value !== null && name !== "topic");
  const query = new URLSearchParams(kept).toString().replaceAll("%2C", ",").replaceAll("%40", "@").replaceAll("%28", "(").replaceAll("%29", ")");
  const path = view === "overview" ? "/" : view === "ranking" && topic ? `/topic/${encodeURIComponent(topic)}` : `/${view}`;
  return path + (query ? `?${query}` : "");
}

// Names between commas, as the server reads them.
export const joined = (names) => names.map((name) => name.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
export const parted = (text) => (text ? text.split(",").map((name) => decodeURIComponent(name)) : []);

// What tables are sorted by is the page's own business: it changes nothing that is measured.
const ASKED = ([name, value]) => name !== "sort" && value !== "" && value !== undefined && value !== null;

// The JSON of a view; `working` is told how far the server is, which waits a second before it says so. A request that is
// aborted ends the work.
export async function ask(view, state, signal, working) {
  const query = new URLSearchParams(Object.entries(state).filter(ASKED));
  for (;;) {
    const answer = await fetch(`/${view}.json?${query}`, { signal });
    const made = await answer.json();
    if (answer.status !== 202) {
      if (!answer.ok) throw new Error(made.error ?? `the workbench answered ${answer.status}`);
      return made;
    }
    working(made.working);
  }
}
