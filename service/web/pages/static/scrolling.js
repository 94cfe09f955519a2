"use strict";
// What overflows sideways is a stop of the Tab key, so that the arrow keys scroll it; what does not overflow is none.
(() => {
  const reach = () => {
    for (const element of document.querySelectorAll(".scroll-x, table.grid")) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
})();
