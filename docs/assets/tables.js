// Tables that are wider than the page can be scrolled with the keyboard, too: where there is more to see, they take the focus.
(() => {
  const reachable = () => {
    for (const place of document.querySelectorAll(".md-typeset__scrollwrap")) {
      if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
      else place.removeAttribute("tabindex");
    }
  };
  addEventListener("load", reachable);
  new ResizeObserver(reachable).observe(document.body);
})();
