// The alerts page: the list as it grows, one alert beside it, and every act by a key.
import { calm, fetchPart, refresh, send } from "./api.js";
import { Player } from "./player.js";
import { isTyping } from "./room.js";

const list = document.getElementById("list");
const detail = document.getElementById("detail");
const main = document.getElementById("main");
const filters = document.getElementById("filters");
const query = () => (list.dataset.filters ? `?${list.dataset.filters}` : "");
const rows = () => [...list.querySelectorAll(".alert-row")];
const opened = () => detail.querySelector("[data-opened]");
let chosen = null;
let player = null;

// The list -----------------------------------------------------------------------------------------------------------

/** Put the server's rows in place of ours, keeping those that did not change, and with them the focus. */
function mergeRows(part) {
  const old = new Map(rows().map((row) => [row.id, row]));
  const older = rows().slice(part.querySelectorAll(".alert-row").length);
  const fresh = [...part.querySelectorAll(".alert-row")].map((row) => {
    const known = old.get(row.id);
    row.source = row.outerHTML;
    if (known && (known.source ?? known.outerHTML) === row.source) return known;
    if (!known) row.classList.add("fresh");
    return row;
  });
  const held = document.activeElement?.closest(".alert-row")?.id;
  const ids = new Set(fresh.map((row) => row.id));
  const kept = list.dataset.grown ? older.filter((row) => !ids.has(row.id)) : [];
  const ended = part.querySelector(".empty"), more = part.querySelector(".more-link");
  document.getElementById("rows").replaceChildren(...fresh, ...kept);
  list.querySelector(".empty")?.remove();
  if (ended) list.append(ended);
  if (!list.dataset.grown) { list.querySelector(".more-link")?.remove(); if (more) list.append(more); }
  if (held) document.getElementById(held)?.querySelector("a").focus({ preventScroll: true });
  mark();
}

const update = calm(150, async () => {
  const part = await fetchPart(`/parts/alerts${query()}`);
  if (part) mergeRows(part);
});

list.addEventListener("click", async (event) => {
  const more = event.target.closest("#more");
  if (more) {
    event.preventDefault();
    const part = await fetchPart(more.getAttribute("href").replace("/alerts", "/parts/alerts"));
    if (!part) return;
    list.dataset.grown = "yes";
    const known = new Set(rows().map((row) => row.id));
    document.getElementById("rows").append(...[...part.querySelectorAll(".alert-row")].filter((row) => !known.has(row.id)));
    more.parentElement.remove();
    const next = part.querySelector(".more-link");
    if (next) list.append(next);
    return;
  }
  const row = event.target.closest(".alert-row");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  open(Number(row.dataset.alert));
});

filters.addEventListener("change", () => filters.requestSubmit());
filters.addEventListener("submit", () => { for (const field of filters.elements) if (!field.value) field.disabled = true; });

function mark() {
  const open_id = opened()?.dataset.opened;
  for (const row of rows()) {
    const is = row.dataset.alert === open_id;
    row.classList.toggle("chosen", is);
    row.querySelector("a").toggleAttribute("aria-current", is);
  }
}

function move(by) {
  const all = rows();
  if (!all.length) return;
  const held = document.activeElement?.closest(".alert-row") ?? document.getElementById(`row-${chosen}`) ?? list.querySelector(".chosen");
  const at = all.indexOf(held);
  const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  chosen = next.dataset.alert;
  next.querySelector("a").focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  if (opened() && main.classList.contains("has-opened")) openSoon(Number(chosen));
}

// The alert beside it ------------------------------------------------------------------------------------------------

let soon = null;
function openSoon(id) { clearTimeout(soon); soon = setTimeout(() => open(id, { isMoving: true }), 120); }

async function open(id, { isMoving = false, isBack = false } = {}) {
  const part = await fetchPart(`/parts/alerts/${id}`);
  if (!part) return;
  detail.replaceChildren(part);
  detail.scrollTop = 0;
  chosen = String(id);
  main.classList.add("has-opened");
  const path = `/alerts/${id}${query()}`;
  if (!isBack && location.pathname !== `/alerts/${id}`) history[isMoving ? "replaceState" : "pushState"]({ id }, "", path);
  begin();
  if (!isMoving) detail.focus({ preventScroll: true });
}

function close() {
  if (!main.classList.contains("has-opened")) return;
  main.classList.remove("has-opened");
  detail.replaceChildren();
  history.pushState({}, "", `/alerts${query()}`);
  mark();
  (document.getElementById(`row-${chosen}`) ?? list.querySelector(".alert-row"))?.querySelector("a").focus();
}

function begin() {
  const element = detail.querySelector(".viewer");
  player = element ? new Player(element) : null;
  detail.querySelector(".back")?.addEventListener("click", (event) => { event.preventDefault(); close(); });
  mark();
}

addEventListener("popstate", () => {
  const id = location.pathname.match(/^\/alerts\/(\d+)$/)?.[1];
  if (id) open(Number(id), { isBack: true }); else location.reload();
});

/** What is open may have changed: its state, its history, its log; the player only when pictures came. */
async function again({ withPictures = false } = {}) {
  const article = opened();
  if (!article) return;
  const part = await fetchPart(`/parts/alerts/${article.dataset.opened}`);
  const fresh = part?.querySelector("[data-opened]");
  if (!fresh || article !== opened()) return;
  refresh(article, fresh, withPictures ? [] : ["opened-evidence"]);
  article.dataset.state = fresh.dataset.state;
  if (withPictures) begin();
}
const againSoon = calm(200, again);

document.addEventListener("room:alert", update);
document.addEventListener("room:change", (event) => {
  update();
  if (String(event.detail.alert) === opened()?.dataset.opened) againSoon();
});
document.addEventListener("room:evidence", (event) => {
  if (String(event.detail.alert) === opened()?.dataset.opened) again({ withPictures: true });
});
document.addEventListener("room:again", () => { update(); againSoon(); });
setInterval(() => { if (!document.hidden && opened()) againSoon(); }, 3000);

// Deciding -----------------------------------------------------------------------------------------------------------

const dismissal = document.getElementById("dismiss");
const stepping = document.getElementById("step");
const WORDS = { confirmed: "Confirm the alert", escalated: "Escalate the alert" };

/** Ask in a dialog; the form's fields, or null. */
function ask(dialog) {
  dialog.returnValue = "cancel";
  dialog.querySelector("form").reset();
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    const fields = Object.fromEntries(new FormData(dialog.querySelector("form")));
    done(dialog.returnValue === "cancel" || dialog.returnValue === "" ? null : fields);
  }, { once: true }));
}

async function decide(state) {
  const id = opened()?.dataset.opened ?? document.activeElement?.closest(".alert-row")?.dataset.alert ?? chosen;
  if (!id) return;
  if (!opened() || opened().dataset.opened !== id) await open(Number(id));
  const button = detail.querySelector(`[data-step=${state}]`);
  if (!button) return;
  let said = {};
  if (state === "dismissed") said = await ask(dismissal);
  else if (state !== "acknowledged") {
    document.getElementById("step-title").textContent = WORDS[state];
    document.getElementById("step-go").textContent = WORDS[state].split(" ")[0];
    said = await ask(stepping);
  }
  if (said === null) return;
  const body = { state, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value.trim())) };
  try {
    await send(`/api/alerts/${id}/state`, body);
  } catch (error) {
    const fault = detail.querySelector(".act-fault");
    if (error.status === 409) await again();
    (detail.querySelector(".act-fault") ?? fault).textContent = error.message;
    (detail.querySelector(".act-fault") ?? fault).hidden = false;
    return;
  }
  await again();
  update();
}

detail.addEventListener("click", (event) => {
  const button = event.target.closest("[data-step]");
  if (button) decide(button.dataset.step);
});

dismissal.addEventListener("keydown", (event) => {
  if (event.target.matches("textarea") || !/^[1-9]$/.test(event.key)) return;
  const choice = dismissal.querySelectorAll("[name=reason]")[Number(event.key) - 1];
  if (choice) { choice.checked = true; choice.focus(); event.preventDefault(); }
});
for (const dialog of [dismissal, stepping]) dialog.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.target.matches("button")) return;
  event.preventDefault();
  dialog.querySelector("button.strong").click();
});

const help = document.getElementById("help");
document.getElementById("keys").addEventListener("click", () => help.showModal());

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  a: () => decide("acknowledged"),
  e: () => decide("escalated"),
  c: () => decide("confirmed"),
  d: () => decide("dismissed"),
  " ": () => player?.toggle(),
  ",": () => player?.step(-1),
  ".": () => player?.step(1),
  s: () => player?.nextSpeed(),
  f: () => player?.toFault(),
  v: () => player?.nextView(),
  "?": () => help.showModal(),
  Escape: () => close(),
  Enter: () => {
    const row = document.activeElement?.closest(".alert-row");
    if (row && row.dataset.alert !== opened()?.dataset.opened) open(Number(row.dataset.alert));
    else player?.toggle();
  },
};
addEventListener("keydown", (event) => {
  if (isTyping(event)) return;
  const isHeld = event.target.matches("button, a:not(.alert-row a), summary, input");
  if (isHeld && [" ", "Enter", "ArrowUp", "ArrowDown"].includes(event.key)) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

if (opened()) { chosen = opened().dataset.opened; begin(); } else mark();
