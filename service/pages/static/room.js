// On every page: the clock, sounds, the live stream of alerts, forms, and the word that a new alert is there.
import { calm, send } from "./api.js";
import { isMuted, setMuted, sound } from "./sounds.js";

const body = document.body;
const REMIND_MS = Number(body.dataset.remind) * 1000;
const TOAST_MS = 12_000;
const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: body.dataset.zone });
const clock = document.getElementById("clock");

function tick() {
  const now = Date.now();
  clock.textContent = format.format(now);
  for (const element of document.querySelectorAll("[data-waits]")) {
    const waits_ms = now - Date.parse(element.dataset.waits);
    element.textContent = `waits ${told(waits_ms)}`;
    element.classList.toggle("overdue", waits_ms > REMIND_MS);
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
const showMute = () => mute.setAttribute("aria-pressed", String(isMuted()));
export function toggleMute() { setMuted(!isMuted()); showMute(); if (!isMuted()) sound("low"); }
mute.addEventListener("click", toggleMute);
showMute();

// Who leaves an alert lying is reminded, as long as one waits on this page.
setInterval(() => {
  const overdue = document.querySelector("[data-waits].overdue");
  if (overdue) sound(overdue.closest("[data-severity]")?.dataset.severity ?? "medium");
}, 30_000);

const waiting = document.getElementById("waiting");
const states = new Map();
function count(by) {
  const n = Math.max(0, Number(waiting.textContent) + by);
  waiting.textContent = String(n);
  waiting.setAttribute("aria-label", `${n} not closed`);
  waiting.classList.toggle("none", n === 0);
}

function toast(alert) {
  const link = document.createElement("a");
  link.className = `toast ${alert.severity}`;
  link.href = `/alerts/${alert.id}`;
  const title = document.createElement("b");
  title.textContent = `${alert.table}: ${alert.severity}`;
  link.append(title, alert.message);
  document.getElementById("toasts").append(link);
  setTimeout(() => link.remove(), TOAST_MS);
}

const CLOSED = new Set(["confirmed", "dismissed"]);
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
const offline = document.getElementById("offline");
let place = body.dataset.after;
let isFirst = true;

function listen() {
  const stream = new EventSource(`/api/alerts/stream?after=${encodeURIComponent(place)}`);
  stream.addEventListener("open", () => { offline.hidden = true; if (!isFirst) tell("room:again"); isFirst = false; });
  stream.addEventListener("error", () => {
    offline.hidden = false;
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 3000); // the browser gave up; we don't
  });
  const hear = (name, act) => stream.addEventListener(name, (event) => {
    if (event.lastEventId) place = event.lastEventId;
    act(JSON.parse(event.data));
  });
  hear("alert", (alert) => {
    count(1);
    sound(alert.severity);
    document.getElementById("announce").textContent = `New alert at ${alert.table}, ${alert.severity}: ${alert.message}`;
    if (!body.classList.contains("alerts")) toast(alert);
    tell("room:alert", alert);
  });
  hear("change", (change) => {
    if (CLOSED.has(change.after) && !CLOSED.has(change.before)) count(-1);
    tell("room:change", change);
  });
  hear("evidence", (shown) => tell("room:evidence", shown));
  addEventListener("pagehide", () => stream.close(), { once: true });
}
listen();
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

addEventListener("keydown", (event) => {
  if (event.key === "m" && !isTyping(event)) toggleMute();
});

export function isTyping(event) {
  return event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input:not([type=range]), select, textarea") || Boolean(document.querySelector("dialog[open]"));
}

// Forms that speak to the API: the fields become JSON; what the service refuses is said beside the form.
const READ = {
  number: (field) => Number(field.value),
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
    else if (then === "part") { document.activeElement?.blur(); tell("room:again"); }
    else if (then === "token") { const shown = form.querySelector(".token"); shown.hidden = false; shown.querySelector("code").textContent = answer.token; complain(form, ""); }
    else location.assign(then.replace("{id}", answer.id));
  } catch (error) {
    complain(form, error.message);
  }
});

export { calm };
