// Two rankings side by side, the documents that they share joined by lines. Takes plain data: for each side its `title`
// and `documents` ({name, grade, share, relevant}, by rank; `grade` is null where nobody judged, `share` is from 0 to 1),
// and `empty`, what is said where there are none. A name of null is not known, and joins nothing.
const ROW_HEIGHT = 26;
function drawTwoRankings(place, left, right) {
  const most = Math.max(left.documents.length, right.documents.length, 1);
  const ranks = new Map(right.documents.map(({ name }, rank) => [name, rank]).filter(([name]) => name !== null));
  const lines = left.documents.flatMap((document, rank) => (ranks.has(document.name) ? [[rank, ranks.get(document.name), document]] : []));
  const joined = svgElement("svg", { class: "joined", viewBox: `0 0 100 ${most * ROW_HEIGHT}`, preserveAspectRatio: "none", height: most * ROW_HEIGHT, "aria-hidden": "true" },
    ...lines.map(([from, to, document]) => svgElement("path", {
      d: `M0 ${(from + 0.5) * ROW_HEIGHT}C50 ${(from + 0.5) * ROW_HEIGHT} 50 ${(to + 0.5) * ROW_HEIGHT} 100 ${(to + 0.5) * ROW_HEIGHT}`,
      class: document.relevant ? "relevant" : "",
    })));
  const other = (documents) => new Map(documents.map(({ name }, rank) => [name, rank + 1]).filter(([name]) => name !== null));
  place.classList.add("two-rankings");
  place.replaceChildren(
    element("h4", { class: "one" }, left.title), element("span"), element("h4", { class: "other" }, right.title),
    rankingList(left, other(right.documents), right.title), joined, rankingList(right, other(left.documents), left.title),
  );
}
const NAMELESS = "(not named in this page)";
function rankingList({ documents, title, empty }, elsewhere, otherTitle) {
  const items = documents.map((document, rank) => {
    const there = elsewhere.get(document.name);
    const about = `rank ${rank + 1}, ${gradeWords(document.grade)}; ${there ? `rank ${there} in ${otherTitle}` : `not among those of ${otherTitle}`}`;
    return element("li", { title: `${document.name ?? NAMELESS}: ${about}` },
      element("span", { class: "rank" }, String(rank + 1)), gradeChip(document), element("span", { class: "name" }, document.name ?? NAMELESS));
  });
  return element("ol", { "aria-label": `Documents of ${title}` }, ...(items.length ? items : [element("li", {}, empty)]));
}
const gradeWords = (grade) => (grade === null ? "unjudged" : `grade ${grade}`);
function gradeChip({ grade, share, relevant }) {
  const chip = element("span", { class: `grade${grade === null ? " unjudged" : relevant ? " relevant" : ""}` }, grade === null ? "?" : String(grade));
  chip.style.setProperty("--share", share);
  return chip;
}
