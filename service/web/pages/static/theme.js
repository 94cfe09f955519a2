"use strict";
// Stands in the head and runs before anything is drawn, so that no page flashes in the wrong tone.
(() => {
  const root = document.documentElement;
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const isLight = () =>
    root.dataset.theme === "light" || (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: light)").matches);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const show = () => { button.textContent = isLight() ? "Dark" : "Light"; };
    button.addEventListener("click", () => {
      root.dataset.theme = isLight() ? "dark" : "light";
      localStorage.setItem("theme", root.dataset.theme);
      show();
    });
    show();
  });
})();
