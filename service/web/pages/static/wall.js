// The wall and a table's page: pictures as they come, and the state of the tables every second.
import { calm, fetchPart, refresh } from "./api.js";

const EVERY_MS = 1000;
const AGAIN_MS = 3000;
const holder = document.querySelector("[data-parts]");

const update = calm(250, async () => {
  if (document.hidden) return;
  const part = await fetchPart(holder.dataset.parts);
  if (!part) return;
  if (!refresh(holder, part)) return location.reload(); // another set of tables
  for (const card of part.querySelectorAll("[data-table]")) { // ill or well: the whole card says so
    holder.querySelector(`[data-table="${CSS.escape(card.dataset.table)}"]`)?.setAttribute("class", card.className);
  }
});
setInterval(update, EVERY_MS);
for (const name of ["room:alert", "room:change", "room:again"]) document.addEventListener(name, update);
document.addEventListener("visibilitychange", update);

// A browser holds six connections to a service, so no page keeps one for its picture: pictures come one by one.
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
async function keepShowing(image, every_ms) {
  for (let n = 0; image.isConnected; n += 1) {
    if (!document.hidden) {
      const next = new Image();
      next.src = `${image.dataset.live}?v=${Date.now().toString(36)}${n}`;
      const came = await next.decode().then(() => true, () => false);
      if (came) image.src = next.src;
      image.classList.toggle("gone", !came);
      if (!came) await pause(AGAIN_MS);
    }
    await pause(every_ms);
  }
}
document.querySelectorAll("img[data-live]").forEach((image, n) => {
  setTimeout(() => keepShowing(image, Number(image.dataset.every ?? EVERY_MS)), n * 120);
});
