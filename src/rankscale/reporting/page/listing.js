// Tables of many rows, of which a page is in the document at a time. `columns` give of a row its `key` to sort by (null
// where it is undefined) and its `cell`, a text or an element; `text` where what is saved is another.
const PAGE_ROWS = 100;
function makeListing(table, columns) {
  const heads = [...table.tHead.rows[0].cells];
  const pager = byId(`${table.id}-pager`);
  let [rows, found, page] = [[], [], 0];
  const sorted = () => {
    const column = heads.findIndex((head) => head.getAttribute("aria-sort") !== "none");
    if (column < 0) return;
    const keyed = found.map((row) => [columns[column].key(row), row]);
    found = keyed.sort(byKey(heads[column].getAttribute("aria-sort") === "ascending")).map(([, row]) => row);
  };
  const render = (from = page * PAGE_ROWS, to = from + PAGE_ROWS) => {
    table.tBodies[0].replaceChildren(...found.slice(from, to).map((row) => element("tr", {}, ...columns.map((column, place) => {
      const heading = place === 0 && !column.number;
      return element(heading ? "th" : "td", { scope: heading ? "row" : null, class: column.number ? "number" : null }, column.cell(row));
    }))));
    roveTable(table);
    const pages = Math.ceil(found.length / PAGE_ROWS);
    pager.hidden = pages < 2;
    pager.firstElementChild.disabled = page === 0;
    pager.lastElementChild.disabled = page >= pages - 1;
    pager.children[1].textContent = `${(page * PAGE_ROWS + 1).toLocaleString("en")} to ${Math.min(found.length, (page + 1) * PAGE_ROWS).toLocaleString("en")} of ${found.length.toLocaleString("en")}`;
  };
  const turn = (by) => {
    page += by;
    render();
    table.parentElement.scrollTop = 0;
  };
  const sortBy = (column, direction) => {
    const head = heads[column];
    const before = head.getAttribute("aria-sort");
    const ascending = direction ? direction === "ascending" : before === "none" ? !columns[column].number : before !== "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    page = 0;
    sorted();
    render();
    table.dispatchEvent(new CustomEvent("sorted", { bubbles: true, detail: { column, ascending } }));
  };
  const filter = (wanted = "") => {
    found = wanted ? rows.filter((row) => String(columns[0].text?.(row) ?? columns[0].key(row)).toLowerCase().includes(wanted.toLowerCase())) : [...rows];
    page = 0;
    sorted();
    render();
  };
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => sortBy(column)));
  pager.firstElementChild.addEventListener("click", () => turn(-1));
  pager.lastElementChild.addEventListener("click", () => turn(1));
  const field = byId(`${table.id}-find`);
  field?.addEventListener("input", () => {
    filter(field.value);
    byId(`${table.id}-find-count`).textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
  });
  window.addEventListener("beforeprint", () => render(0, 5 * PAGE_ROWS));
  window.addEventListener("afterprint", () => render());
  table.listing = {
    sortBy,
    set(given) {
      rows = given;
      filter(field?.value);
    },
    text: () => [heads.map((head) => head.textContent), ...found.map((row) => columns.map((column) => column.text?.(row) ?? column.key(row) ?? ""))].map(tsvLine).join(""),
  };
  return table.listing;
}
