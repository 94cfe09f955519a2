// On every page: the clock, sounds, the live stream of alerts, forms, and the word that a new alert is there.
import { calm, leave, send } from "./api.js";
import { parsePlace } from "./hub.js";
import { Reminders } from "./reminders.js";
import { isAudible, isMuted, onAudible, play, setMuted, whenAudible } from "./sounds.js";
import { Storms } from "./storms.js";
import { connect } from "./stream.js";
import { takeTyped } from "./typed.js";

const body = document.body;
const REMIND_MS = Number(body.dataset.remind) * 1000;
const REMIND_EVERY_MS = Number(body.dataset.remindEvery) * 1000;
const TOAST_MS = 12_000;
const ONCE_MS = 60_000;
const LAST = "last alert"; // the number of the last one that this tab heard of
const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: body.dataset.zone });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: body.dataset.zone });
const clock = document.getElementById("clock");

function tick() {
  const now = Date.now();
  clock.textContent = format.format(now);
  for (const element of document.querySelectorAll("[data-waits]")) {
    const waits_ms = now - Date.parse(element.dataset.waits);
    element.textContent = `waits ${told(waits_ms)}`;
    element.classList.toggle("overdue", waits_ms > REMIND_MS);
  }
  const today = days.format(now);
  for (const time of document.querySelectorAll("time[data-ago]:not([data-day])")) {
    const day = days.format(Date.parse(time.dateTime));
    if (day === today) continue;
    time.dataset.day = day;
    time.prepend(`${day} `);
  }
}

function told(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 100) return `${s} s`;
  return s < 6000 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;
}

setInterval(tick, 1000);
tick();

const mute = document.getElementById("mute");
let isHeard = true, was_blocked = false;

/** Sound is blocked where neither this page nor another one of this browser may make any. */
const isBlocked = () => !isMuted() && !isAudible() && !isHeard;
function showSound() {
  const is = isBlocked();
  mute.classList.toggle("blocked", is);
  mute.setAttribute("aria-pressed", String(isMuted()));
  mute.textContent = is ? "Sound is blocked, click" : isMuted() ? "Sound off" : "Sound";
}

const confirmSound = () => whenAudible(() => play("low"));

/**
 * A touch unblocks the sound, mostly before its click arrives: what the button said when it was touched counts. The
 * button shrinks then, and the click may fall beside it, so that the press alone confirms.
 */
function touched({ target, key }) {
  was_blocked = isBlocked();
  if (was_blocked && (key === "m" || mute.contains(target))) confirmSound();
}
for (const name of ["pointerdown", "keydown"]) addEventListener(name, touched, { passive: true, capture: true });

/** Sounds on or off; where they were blocked until this very touch, they are wanted. */
export function toggleMute() {
  if (!was_blocked && !isBlocked()) setMuted(!isMuted());
  showSound();
  if (!was_blocked) confirmSound();
  was_blocked = false;
}
mute.addEventListener("click", toggleMute);
addEventListener("storage", showSound);

const waiting = document.getElementById("waiting");
const states = new Map();
function count(by) {
  const n = Math.max(0, Number(waiting.textContent) + by);
  waiting.textContent = String(n);
  waiting.setAttribute("aria-label", `${n} not closed`);
  waiting.classList.toggle("none", n === 0);
}

const announce = (text) => { document.getElementById("announce").textContent = text; };
const toasts = new Map();

/** A word in the corner for a while; another with the same key takes its place. */
function toast({ key, title, text, href, tone }) {
  const old = toasts.get(key);
  if (old) { clearTimeout(old.end); old.word.remove(); }
  const word = document.createElement(href ? "a" : "p");
  word.className = `toast ${tone ?? ""}`;
  if (href) word.href = href;
  const head = document.createElement("b");
  head.textContent = title;
  word.append(head, text);
  document.getElementById("toasts").append(word);
  toasts.set(key, { word, end: setTimeout(() => { word.remove(); toasts.delete(key); }, TOAST_MS) });
}

/** Tell what was done, or why it was not. */
export function say(text) {
  announce(text);
  toast({ key: "said", title: text, text: "" });
}

const untaken = JSON.parse(body.dataset.open);
const storms = new Storms(JSON.parse(body.dataset.storm), untaken);

function tellOf(alert) {
  const { kind, count, gravest, lasted_ms, is_storm, is_news } = storms.add(alert, Date.now());
  const many = `${alert.table}: ${count} alerts of one kind ${lasted_ms < 1000 ? "within a second" : `within ${told(lasted_ms)}`}`;
  if (is_news) {
    ring(`alert ${alert.id}`, alert.severity, ONCE_MS);
    announce(is_storm ? `${many}, the most severe ${gravest.severity}: ${gravest.message ?? alert.message}` : `New alert at ${alert.table}, ${alert.severity}: ${alert.message}`);
  }
  if (body.classList.contains("alerts")) return;
  if (is_storm) {
    for (const [key, { word, end }] of toasts) if (key.startsWith(`alert ${kind} `)) { clearTimeout(end); word.remove(); toasts.delete(key); }
    const href = `/alerts?table=${encodeURIComponent(alert.table)}&code=${encodeURIComponent(alert.code)}`;
    toast({ key: `storm ${kind}`, title: many, text: gravest.message ?? alert.message, href, tone: gravest.severity });
  } else {
    toast({ key: `alert ${kind} ${alert.id}`, title: `${alert.table}: ${alert.severity}`, text: alert.message, href: `/alerts/${alert.id}`, tone: alert.severity });
  }
}

const reminders = new Reminders(untaken, {
  after_ms: REMIND_MS,
  show(late, worst) {
    ring("overdue", worst.severity, REMIND_EVERY_MS * 0.9);
    const tables = [...new Set(late.map((alert) => alert.table))].join(", ");
    const text = `${late.length === 1 ? "1 alert waits" : `${late.length} alerts wait`} for more than ${told(REMIND_MS)}: ${tables}`;
    announce(text);
    toast({ key: "overdue", title: "Nobody took them yet", text, href: "/alerts?show=open", tone: worst.severity });
  },
});
setInterval(() => reminders.remind(Date.now()), REMIND_EVERY_MS);

const CLOSED = new Set(["confirmed", "dismissed"]);
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
const offline = document.getElementById("offline");
const state = () => ({ isAudible: isAudible(), isShown: !document.hidden });

const ask = connect({ session: body.dataset.csrf, after: body.dataset.after, state, acts: {
  connected({ isAgain }) { offline.hidden = true; if (isAgain) tell("room:again"); },
  offline() { offline.hidden = false; },
  ended() { leave(); },
  heard(said) { isHeard = said.isHeard; showSound(); },
  play({ number, severity }) { ask({ kind: play(severity) ? "played" : "refused", number }); },
  alert(alert) {
    keepLast(alert.id);
    count(1);
    reminders.raised(alert);
    tellOf(alert);
    tell("room:alert", alert);
  },
  change(change) {
    if (CLOSED.has(change.after) && !CLOSED.has(change.before)) count(-1);
    reminders.changed(change);
    tell("room:change", change);
  },
  evidence(shown) { tell("room:evidence", shown); },
} });
onAudible(() => { ask({ kind: "state", ...state() }); showSound(); });
showSound();

/** Let one page of this browser sound; what has the same key sounds once in that time. */
function ring(key, severity, apart_ms) { ask({ kind: "sound", key, severity, apart_ms }); }

/** Amid a navigation no page of this tab listens: the page that follows sounds what was raised meanwhile. */
function soundMissed() {
  const last = sessionStorage.getItem(LAST);
  const isMissed = ({ id, raised_at }) => id > Number(last) && Date.now() - Date.parse(raised_at) < ONCE_MS;
  if (last !== null) for (const { id, severity } of storms.openNews.filter(isMissed)) ring(`alert ${id}`, severity, ONCE_MS);
  keepLast(parsePlace(body.dataset.after).alert);
}
function keepLast(id) { sessionStorage.setItem(LAST, String(id)); }
soundMissed();

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

addEventListener("keydown", (event) => {
  if (event.key === "m" && !isTyping(event)) toggleMute();
});

export function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input:not([type=range], [type=checkbox]), select, textarea") || Boolean(document.querySelector("dialog[open]"));
}

// Forms that speak to the API: the fields become JSON; what the service refuses is said beside the form.
const READ = {
  number: (field) => Number(field.value),
  count: (field) => (field.value.trim() === "" ? null : Number(field.value)),
  word: (field) => field.value.trim() || null,
  flag: (field) => field.value === "true",
  list: (field) => { const names = field.value.split(",").map((name) => name.trim()).filter(Boolean); return names.length ? names : null; },
};
function fieldsOf(form) {
  const found = {};
  for (const field of form.elements) {
    if (!field.name || "path" in field.dataset) continue;
    const kind = Object.keys(READ).find((name) => name in field.dataset);
    found[field.name] = kind ? READ[kind](field) : field.value;
  }
  return found;
}
function complain(form, text) {
  let fault = form.querySelector(".fault-text");
  if (!fault) { fault = document.createElement("p"); fault.className = "fault-text"; fault.setAttribute("role", "alert"); form.append(fault); }
  fault.textContent = text;
}
/** What became of a list: how many lines were taken, and what is wrong with each of the others. */
function showImport(form, { taken, refused, renamed }) {
  const told = form.querySelector(".refused"), head = document.createElement("p"), list = document.createElement("ul");
  head.textContent = `${taken} ${taken === 1 ? "line was" : "lines were"} taken${refused.length ? `, ${refused.length} not:` : "."}`;
  const lines = [
    ...refused.map(({ line, message }) => `line ${line}: ${message}`),
    ...renamed.map(({ line, was, name }) => `line ${line}: ${was} is now called ${name}, in all rounds and figures`),
  ];
  list.append(...lines.map((line) => { const item = document.createElement("li"); item.textContent = line; return item; }));
  told.replaceChildren(head, list);
  told.hidden = false;
  complain(form, "");
  say(head.textContent);
}
/** What became of files that were read again: each table's version, and what is wrong with it. */
function showTables(form, { items }) {
  const told = form.querySelector(".refused"), list = document.createElement("ul");
  const lines = items.flatMap(({ table, version, problems }) => [
    `${table}: ${version === null ? "stays as it was" : `version ${version}`}`,
    ...problems.map(({ grade, where, key, say }) => `${table}: ${grade}: ${where}${key ? `: ${key}` : ""}; ${say}`),
  ]);
  list.append(...(lines.length ? lines : ["Nothing has changed."]).map((line) => { const item = document.createElement("li"); item.textContent = line; return item; }));
  told.replaceChildren(list);
  told.hidden = false;
  complain(form, "");
  say(lines.length ? "The files were read again." : "Nothing has changed.");
}
/** The text of a file: UTF-16 where it says so, else UTF-8; lines that are in neither are refused. */
function textOf(bytes) {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
document.addEventListener("change", async ({ target }) => {
  if (target.dataset?.file && target.files[0]) target.form.elements[target.dataset.file].value = textOf(await target.files[0].arrayBuffer());
});
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.api) return;
  event.preventDefault();
  const path = form.dataset.api.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(form.elements[name].value));
  const method = form.dataset.method ?? "POST";
  try {
    const answer = await send(path, method === "DELETE" ? null : fieldsOf(form), method);
    const then = form.dataset.then;
    if (then === "reload") location.reload();
    else if (then === "import") showImport(form, answer);
    else if (then === "tables") showTables(form, answer);
    else if (then === "test") { say(answer.sent ? "The test was taken." : `The test was not taken: ${answer.fault}`); complain(form, answer.fault ?? "Taken"); }
    else if (then === "part") { document.activeElement?.blur(); tell("room:again"); }
    else if (then === "token") { const shown = form.querySelector(".token"); shown.hidden = false; shown.querySelector("code").textContent = answer.token; complain(form, ""); }
    else location.assign(then.replace("{id}", answer.id).replace("{table}", encodeURIComponent(answer.table)));
  } catch (error) {
    complain(form, error.message);
  }
});

/** What was typed before a sign-in, for pages that have dialogs of their own. */
export const kept = takeTyped();
if (kept) say("You are signed in again; what you had typed is still here.");

export { calm };
