// The alerts page: the list as it grows, one alert beside it, and every act by a key.
import { AlertList, MOST_CHOSEN, stormOf } from "./alert_list.js";
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
const list = new AlertList(holder, { query, openedId: () => opened()?.dataset.opened, onChosen: showChosen });
const update = calm(150, () => list.update());
let player = null;
let chosen_before = 0;

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
  if (event.target.closest(".pick")) return;
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
    const { taken, left } = await send("/api/alerts/take", { alerts: stormOf(row).slice(0, MOST_CHOSEN) });
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
const TITLES = { confirmed: "Confirm the alert", escalated: "Escalate the alert", dismissed: "Dismiss the alert: why?" };
const VERBS = { confirmed: "Confirm", escalated: "Escalate", dismissed: "Dismiss" };

/** Ask in a dialog, with the fields that were typed before a sign-in; the form's fields, or null. */
function ask(dialog, state, typed, { words, numbers = [] } = {}) {
  dialog.returnValue = "cancel";
  dialog.dataset.state = state;
  dialog.dataset.alerts = numbers.join(",");
  dialog.querySelector("h2").textContent = words ?? TITLES[state];
  document.getElementById("step-go").textContent = VERBS[state];
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
  if (storm) return state === "acknowledged" ? takeStorm(storm) : say("A storm can be taken as one; to decide about all of it, choose it with x.");
  if (soon) await open(soon.id, { isMoving: true }); // who moves on and decides at once means the alert that he moved to
  const id = opened()?.dataset.opened ?? row?.dataset.alert;
  if (!id) return;
  if (!opened() || opened().dataset.opened !== id) await open(Number(id));
  const button = detail.querySelector(`[data-step=${state}]`);
  if (!button) return;
  let said = {};
  if (state === "dismissed") said = await ask(dismissal, state, typed);
  else if (state !== "acknowledged") said = await ask(stepping, state, typed);
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

// Deciding several together --------------------------------------------------------------------------------------------

function showChosen(count) {
  const bar = document.getElementById("chosen-bar");
  if (!bar) return;
  bar.hidden = count === 0;
  document.getElementById("chosen-count").textContent = count ? `${count} chosen${count === MOST_CHOSEN ? ", the most" : ""}` : "";
  if (count > chosen_before) document.getElementById("outcome").replaceChildren();
  chosen_before = count;
}

const many = (count) => (count === 1 ? "1 alert" : `${count} alerts`);

/** Confirm, dismiss or take what is chosen, with one reason and one note; each alert that stays behind is named. */
async function decideTogether(state, typed, numbers = [...list.picked]) {
  if (state === "escalated") return say("Escalate alerts one by one; what is chosen can be taken, confirmed or dismissed.");
  let said = {};
  if (state !== "acknowledged") {
    const dialog = state === "dismissed" ? dismissal : stepping;
    const words = state === "dismissed" ? `Dismiss ${many(numbers.length)}: why?` : `Confirm ${many(numbers.length)}`;
    said = await ask(dialog, state, typed, { words, numbers });
  }
  if (said === null) return;
  const fields = Object.fromEntries(Object.entries(said).filter(([, value]) => value.trim()));
  const asked = state === "dismissed" ? dismissal : stepping;
  asked.toggleAttribute("data-sending", state !== "acknowledged");
  try {
    const told = state === "acknowledged"
      ? await send("/api/alerts/take", { alerts: numbers })
      : await send("/api/alerts/decide", { alerts: numbers, state, ...fields });
    list.pickOnly(told.left.map((one) => one.alert));
    await list.update();
    showOutcome({ acknowledged: "taken", confirmed: "confirmed", dismissed: "dismissed" }[state], (told.decided ?? told.taken).length, told.left);
  } catch (error) {
    say(error.message);
  } finally {
    asked.removeAttribute("data-sending");
  }
  await again();
  list.focusChosen();
}

function showOutcome(word, done, left) {
  const outcome = document.getElementById("outcome");
  const head = document.createElement("p");
  head.textContent = `${many(done)} ${word}.${left.length ? ` ${many(left.length)} could not be:` : ""}`;
  const names = document.createElement("ul");
  names.append(...left.map(({ alert, message }) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = `/alerts/${alert}?show=all`;
    link.textContent = `Alert ${alert}`;
    item.append(link, `: ${message}`);
    return item;
  }));
  const close = document.createElement("button");
  close.type = "button";
  close.className = "plain";
  close.textContent = "Close";
  close.addEventListener("click", () => { outcome.replaceChildren(); list.focusChosen(); });
  outcome.replaceChildren(head, ...(left.length ? [names, close] : []));
  if (!left.length) setTimeout(() => { if (outcome.contains(head)) outcome.replaceChildren(); }, 12_000);
}

document.getElementById("chosen-bar")?.addEventListener("click", (event) => {
  const together = event.target.closest("[data-together]");
  if (together) decideTogether(together.dataset.together);
  else if (event.target.closest("[data-choose]")) { list.pickOnly([]); list.focusChosen(); }
});

/** A key decides about what is chosen, else about the one alert that is meant. */
const act = (state) => (list.picked.size ? decideTogether(state) : decide(state));

function escape() {
  if (list.picked.size) list.pickOnly([]); else close();
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
  a: () => act("acknowledged"),
  e: () => act("escalated"),
  c: () => act("confirmed"),
  d: () => act("dismissed"),
  x: () => list.pick(list.held()),
  X: () => list.pickAll(),
  " ": () => player?.toggle(),
  ",": () => player?.step(-1),
  ".": () => player?.step(1),
  s: () => player?.nextSpeed(),
  f: () => player?.toFault(),
  o: () => player?.toggleOverlay(),
  v: () => player?.nextView(),
  "?": () => help.showModal(),
  Escape: () => escape(),
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
  const pressed = KEYS[event.key];
  if (!pressed) return;
  event.preventDefault();
  pressed();
});

if (opened()) { list.chosen = `row-${opened().dataset.opened}`; begin(); } else list.mark();
const keptNumbers = (kept?.asked?.data.alerts ?? "").split(",").filter(Boolean).map(Number);
if (keptNumbers.length) { list.pickOnly(keptNumbers); decideTogether(kept.asked.data.state, kept.forms[kept.asked.id], keptNumbers); }
else if (kept?.asked?.data.state && opened()) decide(kept.asked.data.state, kept.forms[kept.asked.id]);
