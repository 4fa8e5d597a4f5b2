// Last of all scripts: the state that the address asks for.
window.addEventListener("hashchange", () => followAddress());
followAddress("instant");
