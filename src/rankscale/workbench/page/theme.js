// Before anything is drawn: the theme that was chosen here before, or that of the system.
(() => {
  const kept = localStorage.getItem("rankscale-theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  // Heard by the document, so that the button answers from the moment it is seen, before the other scripts have come.
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#theme")) return;
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("rankscale-theme", root.dataset.theme);
    document.dispatchEvent(new Event("themechange"));
  });
})();
