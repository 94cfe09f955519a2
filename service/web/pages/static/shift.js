// A shift along its line: earlier and later, zoom, and from round to round, by keys.
import { isTyping } from "./room.js";

const rounds = [...document.querySelectorAll("svg.detail a[href^='/rounds/']")];
const zooms = [...document.querySelectorAll("[data-zoom]")];
const go = (link) => link && location.assign(link.href);

function zoom(by) {
  const now = zooms.findIndex((link) => link.hasAttribute("aria-current"));
  go(zooms[Math.min(zooms.length - 1, Math.max(0, (now < 0 ? 2 : now) + by))]);
}

function move(by) {
  if (!rounds.length) return;
  const now = rounds.indexOf(document.activeElement);
  rounds[Math.min(rounds.length - 1, Math.max(0, now < 0 ? 0 : now + by))].focus();
}

const KEYS = {
  h: () => go(document.getElementById("earlier")),
  l: () => go(document.getElementById("later")),
  "+": () => zoom(-1),
  "-": () => zoom(1),
  j: () => move(1),
  k: () => move(-1),
};
addEventListener("keydown", (event) => {
  if (isTyping(event) || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
