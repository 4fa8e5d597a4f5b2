// Before anything is drawn: the theme that was chosen here before, or that of the system.
(() => {
  const kept = localStorage.getItem("rankscale-theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
