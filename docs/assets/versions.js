// The list of versions beside the name of the site. versions.js, one folder up, lists each version with its pages; it
// is a script, since a page that is read from its folder may not fetch data.
(() => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");  // which the theme leaves without a name
  const versions = window.rankscaleVersions;
  const place = document.querySelector(".md-header__topic");
  const site = document.querySelector("meta[name=rankscale-base]");
  if (!versions || !place || !site) return;
  const base = new URL(`${site.content}/`, location.href);
  const here = decodeURIComponent(location.pathname.slice(base.pathname.length)) || "index.html";
  const current = decodeURIComponent(base.pathname.split("/").filter(Boolean).pop());
  const list = document.createElement("select");
  list.className = "versions";
  list.setAttribute("aria-label", "Version of these pages");
  for (const version of versions) {
    list.append(new Option(version.title, version.folder, false, version.folder === current));
  }
  list.addEventListener("change", () => {
    const chosen = versions.find((version) => version.folder === list.value);
    const page = chosen.pages.includes(here) ? here : "index.html";
    location.href = new URL(`../${chosen.folder}/${page}`, base).href;
  });
  place.append(list);
})();
