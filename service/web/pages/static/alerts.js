// The alerts page: the list as it grows, one alert beside it, and every act by a key.
import { AlertList, stormOf } from "./alert_list.js";
import { calm, fetchPart, refresh, send } from "./api.js";
import { Player } from "./player.js";
import { isTyping, kept, say } from "./room.js";
import { fill } from "./typed.js";

const holder = document.getElementById("list");
const detail = document.getElementById("detail");
const main = document.getElementById("main");
const filters = document.getElementById("filters");
const query = () => (holder.dataset.filters ? `?${holder.dataset.filters}` : "");
const opened = () => detail.querySelector("[data-opened]");
const list = new AlertList(holder, { query, openedId: () => opened()?.dataset.opened });
const update = calm(150, () => list.update());
let player = null;

holder.addEventListener("click", (event) => {
  const more = event.target.closest("#more");
  if (more) {
    event.preventDefault();
    list.grow(more);
    return;
  }
  if (event.target.closest("[data-take-storm]")) {
    takeStorm(event.target.closest(".storm-row"));
    return;
  }
  const row = event.target.closest(".alert-row");
  if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  open(Number(row.dataset.alert));
});

filters.addEventListener("change", () => filters.requestSubmit());
filters.addEventListener("submit", () => { for (const field of filters.elements) if (!field.value) field.disabled = true; });

function move(by) {
  const row = list.move(by);
  if (row?.dataset.alert && opened() && main.classList.contains("has-opened")) openSoon(Number(row.dataset.alert));
}

/** Take all alerts of a storm; who was quicker with one of them keeps it. */
async function takeStorm(row) {
  try {
    const { taken, left } = await send("/api/alerts/take", { alerts: stormOf(row).slice(0, 500) });
    say(`${taken.length} alerts taken${left.length ? `, ${left.length} left: ${left[0].message}` : ""}`);
  } catch (error) {
    say(error.message);
  }
  await list.update();
  list.focusChosen();
}

// The alert beside it ------------------------------------------------------------------------------------------------

let soon = null;
function openSoon(id) {
  clearTimeout(soon?.timer);
  soon = { id, timer: setTimeout(() => open(id, { isMoving: true }), 120) };
}

async function open(id, { isMoving = false, isBack = false } = {}) {
  clearTimeout(soon?.timer);
  soon = null;
  const part = await fetchPart(`/parts/alerts/${id}`);
  if (!part) return;
  detail.replaceChildren(part);
  detail.scrollTop = 0;
  list.chosen = `row-${id}`;
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
  list.mark();
  list.focusChosen();
}

function begin() {
  const element = detail.querySelector(".viewer");
  player = element ? new Player(element) : null;
  detail.querySelector(".back")?.addEventListener("click", (event) => { event.preventDefault(); close(); });
  list.mark();
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

/** Ask in a dialog, with the fields that were typed before a sign-in; the form's fields, or null. */
function ask(dialog, state, typed) {
  dialog.returnValue = "cancel";
  dialog.dataset.state = state;
  dialog.querySelector("form").reset();
  fill(dialog.querySelector("form"), typed);
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    const fields = Object.fromEntries(new FormData(dialog.querySelector("form")));
    done(dialog.returnValue === "cancel" || dialog.returnValue === "" ? null : fields);
  }, { once: true }));
}

async function decide(state, typed) {
  const row = list.held();
  const storm = document.activeElement?.closest?.(".storm-row summary") ? row : null;
  if (storm) return state === "acknowledged" ? takeStorm(storm) : say("A storm can be taken as one; decide about each of its alerts.");
  if (soon) await open(soon.id, { isMoving: true }); // who moves on and decides at once means the alert that he moved to
  const id = opened()?.dataset.opened ?? row?.dataset.alert;
  if (!id) return;
  if (!opened() || opened().dataset.opened !== id) await open(Number(id));
  const button = detail.querySelector(`[data-step=${state}]`);
  if (!button) return;
  let said = {};
  if (state === "dismissed") said = await ask(dismissal, state, typed);
  else if (state !== "acknowledged") {
    document.getElementById("step-title").textContent = WORDS[state];
    document.getElementById("step-go").textContent = WORDS[state].split(" ")[0];
    said = await ask(stepping, state, typed);
  }
  if (said === null) return;
  const body = { state, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value.trim())) };
  const asked = state === "dismissed" ? dismissal : stepping;
  asked.toggleAttribute("data-sending", state !== "acknowledged");
  try {
    await send(`/api/alerts/${id}/state`, body);
  } catch (error) {
    const fault = detail.querySelector(".act-fault");
    if (error.status === 409) await again();
    (detail.querySelector(".act-fault") ?? fault).textContent = error.message;
    (detail.querySelector(".act-fault") ?? fault).hidden = false;
    return;
  } finally {
    asked.removeAttribute("data-sending");
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
  o: () => player?.toggleOverlay(),
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
  const isPress = [" ", "Enter"].includes(event.key), isArrow = ["ArrowUp", "ArrowDown"].includes(event.key);
  if (isHeld && (isPress || (isArrow && !event.target.matches("summary")))) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

if (opened()) { list.chosen = `row-${opened().dataset.opened}`; begin(); } else list.mark();
if (kept?.asked?.data.state && opened()) decide(kept.asked.data.state, kept.forms[kept.asked.id]);
