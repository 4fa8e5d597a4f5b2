// Chooses among the cards of measures. Without this script all of them are shown, and no lists to choose from.
(() => {
  const form = document.querySelector("form.filters");
  if (!form) return;
  const cards = [...document.querySelectorAll(".cards.measures .card")];
  const filters = [...form.querySelectorAll("[data-filter]")];
  const fits = (card, { dataset, value }) =>
    dataset.filter === "text"
      ? card.textContent.toLowerCase().includes(value.trim().toLowerCase())
      : value === "any" || card.dataset[dataset.filter] === value;
  const choose = () => {
    cards.forEach((card) => { card.hidden = !filters.every((filter) => fits(card, filter)); });
    form.querySelector("output").value = `${cards.filter((card) => !card.hidden).length} of ${cards.length} measures`;
  };
  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  choose();
})();
