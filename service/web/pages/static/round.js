// A round: its clip and its log in step, from line to frame, and what a person corrects in it.
import { ask as askFor, fetchPart, refresh, send } from "./api.js";
import { CardCrop } from "./card_crop.js";
import { Player } from "./player.js";
import { isTyping, kept } from "./room.js";
import { fill } from "./typed.js";

const main = document.getElementById("main");
const round = main.dataset.round;
const viewer = document.getElementById("viewer");
const t0_ms = Date.parse(main.dataset.t0);
let player = null;

// The clip -----------------------------------------------------------------------------------------------------------

class RoundPlayer extends Player {
  constructor(element, from_ms) {
    super(element);
    this.from_ms = from_ms;
  }

  seek(at_ms) {
    this.video.pause();
    this.video.currentTime = Math.min(Math.max(0, (at_ms - this.from_ms) / 1000), Math.max(0, this.length_s() - 0.05));
  }

  now_ms() { return this.from_ms + this.video.currentTime * 1000; }

  tell() {
    if (!this.length_s()) return;
    super.tell();
    this.output.textContent = `${Math.max(0, this.video.currentTime - this.fault_s).toFixed(2)} s into the round`;
    follow(this.now_ms());
  }
}

/** Mark the line that the clip has come to. */
function follow(at_ms) {
  let current = null;
  for (const row of document.querySelectorAll("table.lines tr[data-at]")) {
    if (Date.parse(row.dataset.at) <= at_ms + 20) current = row;
    row.removeAttribute("aria-current");
  }
  current?.setAttribute("aria-current", "true");
}

function showClip(clip) {
  const from_ms = Date.parse(clip.from);
  viewer.dataset.fault = String(Math.max(0, (Date.parse(main.dataset.opened) - from_ms) / 1000));
  if (player) { player.from_ms = from_ms; player.fault_s = Number(viewer.dataset.fault); }
  else player = new RoundPlayer(viewer, from_ms);
  viewer.querySelector("[data-unplayed]").hidden = true;
  player.video.src = clip.clip;
  const whole = clip.alert === null ? "Cut out of" : "Of tables watched live no whole video is kept. This is";
  document.getElementById("source").textContent = `${whole} ${clip.source}.`;
}

async function findClips() {
  const told = document.getElementById("no-video");
  const said = await askFor(`/api/rounds/${round}/video`);
  if (!said?.clips?.length) { told.textContent = said?.why_none ?? said?.error?.message ?? "The service does not answer."; return []; }
  told.hidden = true;
  viewer.hidden = false;
  const clips = document.getElementById("clips");
  clips.hidden = said.clips.length < 2;
  clips.replaceChildren(...said.clips.map((clip, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = clip.source;
    button.setAttribute("aria-pressed", String(i === 0));
    button.addEventListener("click", () => {
      for (const other of clips.children) other.setAttribute("aria-pressed", String(other === button));
      showClip(clip);
    });
    return button;
  }));
  showClip(said.clips[0]);
  return said.clips;
}
const found = findClips();

// What a person corrects ---------------------------------------------------------------------------------------------

const dialog = document.getElementById("correct");
const sight = dialog && new CardCrop(document.getElementById("sight"), found);
const TITLES = { card: "Correct the card", remove: "This did not happen", add: "Add what is missing", verdict: "A verdict", back: "Take the correction back" };
const NUMBERS = new Set(["player", "banker", "seat", "before", "after", "amount", "nominee", "minimum", "maximum", "differential"]);
const SHOWN = new Set(["card_dealt", "card_turned"]);

function showFields(kind) {
  for (const part of dialog.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== kind;
  const type = dialog.querySelector("[name=type]").value;
  for (const label of dialog.querySelectorAll("[data-of]")) label.hidden = !label.dataset.of.split(" ").includes(type);
}

/** The line of the log that the form describes. */
function eventOf(fields) {
  const type = fields.get("type");
  const event = { t: Number(fields.get("t")), type };
  for (const label of dialog.querySelectorAll("[data-of]")) {
    if (label.hidden) continue;
    const { name } = label.querySelector("input, select");
    const text = fields.get(name).trim();
    if (name === "face") { event.card = text || null; if (SHOWN.has(type)) event.face_up = Boolean(text); }
    else if (NUMBERS.has(name)) event[name] = text === "" ? null : Number(text);
    else event[name] = text === "" ? null : text;
  }
  return event;
}

function bodyOf(button, fields) {
  const why = fields.get("why").trim();
  const { correct: kind, line, alert, stands } = button.dataset;
  if (kind === "back") return { why };
  if (kind === "card") return { kind, line: Number(line), card: fields.get("card") || null, why };
  if (kind === "remove") return { kind, line: Number(line), why };
  if (kind === "add") return { kind, event: eventOf(fields), why };
  return { kind, alert: Number(alert), stands: stands === "true", why };
}

function ask(button, typed) {
  const form = dialog.querySelector("form");
  const { correct: kind, words } = button.dataset;
  form.reset();
  document.getElementById("correct-title").textContent = TITLES[kind];
  document.getElementById("correct-words").textContent = kind === "verdict"
    ? `${words}: the alert was ${button.dataset.stands === "true" ? "right" : "wrong"}.` : words ?? "";
  document.getElementById("correct-go").textContent = kind === "back" ? "Take back" : "Correct";
  form.elements.card.value = button.dataset.card ?? "";
  const at_ms = player ? player.now_ms() : Date.parse(main.dataset.opened);
  form.elements.t.value = ((at_ms - t0_ms) / 1000).toFixed(2);
  dialog.dataset.asked = JSON.stringify({ ...button.dataset });
  fill(form, typed);
  showFields(kind);
  dialog.querySelector(".act-fault").hidden = true;
  const seen = button.dataset.seen;
  dialog.classList.toggle("wide", Boolean(seen));
  dialog.showModal();
  if (seen) sight.show(`/api/rounds/${round}/cards/${seen}`); else sight.hide();
  dialog.button = button;
}

async function enter(event) {
  if (event.submitter?.value !== "go") return;
  event.preventDefault();
  const button = dialog.button;
  const path = button.dataset.correct === "back" ? `/api/corrections/${button.dataset.number}/take-back` : `/api/rounds/${round}/corrections`;
  const go = document.getElementById("correct-go");
  go.disabled = true;
  try {
    await send(path, bodyOf(button, new FormData(dialog.querySelector("form"))));
    dialog.close();
    await again();
  } catch (error) {
    const fault = dialog.querySelector(".act-fault");
    fault.textContent = error.message;
    fault.hidden = false;
  } finally {
    go.disabled = false;
  }
}

async function again() {
  const part = await fetchPart(`/parts/rounds/${round}`);
  if (!part || !refresh(main, part)) location.reload();
  document.getElementById("announce").textContent = "The round was judged again.";
}

if (dialog) {
  dialog.addEventListener("close", () => sight.hide());
  dialog.querySelector("form").addEventListener("submit", enter);
  dialog.querySelector("[name=type]").addEventListener("change", () => showFields("add"));
}
main.addEventListener("click", (event) => {
  const correct = event.target.closest("[data-correct]");
  const seek = event.target.closest("[data-seek]");
  if (correct && dialog) ask(correct);
  else if (seek && player) player.seek(Date.parse(seek.dataset.seek));
});

// Keys ---------------------------------------------------------------------------------------------------------------

const help = document.getElementById("help");
document.getElementById("keys").addEventListener("click", () => help.showModal());
const go = (id) => { const link = document.getElementById(id); if (link) location.assign(link.href); };

function move(by) {
  const lines = [...document.querySelectorAll("table.lines .seek")];
  const now = lines.indexOf(document.activeElement);
  lines[Math.min(lines.length - 1, Math.max(0, now < 0 ? 0 : now + by))]?.focus();
}

const KEYS = {
  p: () => go("previous"),
  n: () => go("following"),
  j: () => move(1),
  k: () => move(-1),
  " ": () => player?.toggle(),
  ",": () => player?.step(-1),
  ".": () => player?.step(1),
  s: () => player?.nextSpeed(),
  f: () => player?.toFault(),
  "?": () => help.showModal(),
};
addEventListener("keydown", (event) => {
  if (isTyping(event) || !KEYS[event.key]) return;
  if (event.key === " " && event.target.matches("button, a, summary")) return;
  event.preventDefault();
  KEYS[event.key]();
});

if (dialog && kept?.asked?.id === dialog.id) {
  const same = (button) => JSON.stringify({ ...button.dataset }) === kept.asked.data.asked;
  const button = [...main.querySelectorAll("[data-correct]")].find(same);
  if (button) ask(button, kept.forms[dialog.id]);
}
