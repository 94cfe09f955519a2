// Ask the service: JSON for what is done, parts of pages for what is shown.
//
// There is no framework here: all that the pages need of one is "fetch a part that the server made and put in what
// changed", which is `refresh` below. Keys, the player and sounds need a script anyway, and a policy without inline
// scripts and styles leaves little of a framework's attributes.

import { keepTyped } from "./typed.js";

const csrf = document.body.dataset.csrf ?? "";

let isLeaving = false;

/** The session is over: sign in, and come back to this page with what was typed. Never returns, so that no message is shown. */
export function leave() {
  if (!isLeaving) {
    isLeaving = true;
    keepTyped();
    location.reload(); // the service leads to the sign-in, or shows the page where another session has begun
  }
  return new Promise(() => {});
}

/** Fetch; null where the service does not answer. */
async function reach(path, options) {
  const answer = await fetch(path, options).catch(() => null);
  return answer?.status === 401 ? leave() : answer;
}

/** Ask for JSON; null where it could not be had. */
export async function ask(path) {
  const answer = await reach(path, { headers: { Accept: "application/json" } });
  return answer ? answer.json().catch(() => null) : null;
}

/** Send JSON; gives the answer, or throws an Error with the service's own message. What is sent with `keepalive` arrives although the page is left. */
export async function send(path, body, method = "POST", keepalive = false) {
  const answer = await reach(path, {
    method,
    keepalive,
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: body === null ? undefined : JSON.stringify(body),
  });
  if (!answer) throw new Error("The service does not answer; nothing was done.");
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(told.error?.message ?? `The service answered ${answer.status}.`), { status: answer.status });
  return told;
}

/** Fetch a part of a page; null where it could not be had. Who is signed out is led to the sign-in. */
export async function fetchPart(path) {
  const answer = await reach(path, { headers: { Accept: "application/json" } });
  if (!answer?.ok) return null;
  const template = document.createElement("template");
  template.innerHTML = await answer.text();
  return template.content;
}

/** Put into the page what a fetched part says differently: elements with the same data-part are replaced as a whole, those in `left` left alone. */
export function refresh(holder, part, left = []) {
  const fresh = [...part.querySelectorAll("[data-part]")];
  const known = new Map([...holder.querySelectorAll("[data-part]")].map((element) => [element.dataset.part, element]));
  if (fresh.length !== known.size || !fresh.every((element) => known.has(element.dataset.part))) return false;
  for (const element of fresh) {
    const old = known.get(element.dataset.part);
    if (left.includes(element.dataset.part)) continue;
    if (old.contains(document.activeElement) && document.activeElement.matches("input, select, textarea")) continue;
    const source = element.outerHTML;
    if ((old.source ?? old.outerHTML) === source) continue;
    const held = old.contains(document.activeElement) ? pathOf(document.activeElement) : null;
    element.source = source;
    old.replaceWith(element);
    if (held) element.querySelector(held)?.focus({ preventScroll: true });
  }
  return true;
}

function pathOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  for (const name of ["href", "data-step", "name"]) {
    const value = element.getAttribute(name);
    if (value) return `[${name}="${CSS.escape(value)}"]`;
  }
  return element.tagName;
}

/** The time between calls is at least `gap_ms`, and the last call is never lost. */
export function calm(gap_ms, act) {
  let waiting = null, last = 0;
  return () => {
    if (waiting !== null) return;
    const wait = Math.max(0, last + gap_ms - performance.now());
    waiting = setTimeout(async () => { waiting = null; last = performance.now(); await act(); }, wait);
  };
}
