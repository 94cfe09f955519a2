// The list of alerts: rows as the server makes them, storms that open, and which row a key is meant for.
import { fetchPart } from "./api.js";

export const MOST_CHOSEN = 500;

/** A row's own place for the focus: its link, or the head of a storm. */
const handle = (row) => row.querySelector(row.classList.contains("storm-row") ? "summary" : "a");

export class AlertList {
  constructor(holder, { query, openedId, onChosen = () => {} }) {
    this.holder = holder;
    this.query = query;
    this.openedId = openedId;
    this.chosen = null;
    this.onChosen = onChosen;
    /** The numbers of the alerts that are chosen to be decided together. */
    this.picked = new Set();
    holder.addEventListener("change", (event) => { if (event.target.matches("[data-pick]")) this.pick(event.target.closest("li"), event.target.checked); });
    holder.addEventListener("toggle", (event) => this.mark(event), true);
  }

  /** All rows in their order: alerts, storms, and the alerts of storms that are open. */
  rows() {
    return [...this.holder.querySelectorAll(".storm-row, .alert-row")].filter((row) => !row.closest("details:not([open])"));
  }

  /** The row that has the focus, else the one that was moved to last, else the one that is open. */
  held() {
    const focused = document.activeElement?.closest?.(".alert-row, .storm-row");
    const known = [focused, document.getElementById(this.chosen ?? ""), this.holder.querySelector(".chosen")];
    const rows = this.rows();
    return known.find((row) => rows.includes(row)) ?? null;
  }

  move(by) {
    const rows = this.rows();
    if (!rows.length) return null;
    const at = rows.indexOf(this.held());
    const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    this.focus(next);
    return next;
  }

  focus(row) {
    this.chosen = row.id;
    handle(row).focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  focusChosen() {
    const row = this.held() ?? this.rows()[0];
    if (row) handle(row).focus();
  }

  /** Which alert is open beside the list. */
  mark() {
    for (const row of this.holder.querySelectorAll(".alert-row")) {
      const is = row.dataset.alert === this.openedId();
      row.classList.toggle("chosen", is);
      row.querySelector("a").toggleAttribute("aria-current", is);
    }
  }

  /** Choose a row's alerts or no longer; without a word the other way round. A closed alert cannot be chosen. */
  pick(row, is = !numbersOf(row).every((number) => this.picked.has(number))) {
    if (!row?.querySelector(":scope > .pick")) return;
    for (const number of numbersOf(row)) {
      if (!is) this.picked.delete(number);
      else if (this.picked.size < MOST_CHOSEN) this.picked.add(number);
    }
    this.showPicked();
  }

  /** Choose all that is listed; where it is chosen already, nothing. */
  pickAll() {
    const rows = this.top().filter((row) => row.querySelector(":scope > .pick"));
    const is = !rows.every((row) => numbersOf(row).every((number) => this.picked.has(number)));
    for (const row of rows) this.pick(row, is);
  }

  pickOnly(numbers) {
    this.picked = new Set(numbers);
    this.showPicked();
  }

  /** Tick what is chosen; what is no longer in the list is chosen no longer. */
  showPicked() {
    const rows = [...this.holder.querySelectorAll(".alert-row, .storm-row")].filter((row) => row.querySelector(":scope > .pick"));
    const listed = new Set(rows.flatMap(numbersOf));
    for (const number of this.picked) if (!listed.has(number)) this.picked.delete(number);
    for (const row of rows) {
      const numbers = numbersOf(row), some = numbers.filter((number) => this.picked.has(number)).length;
      const box = row.querySelector(":scope > .pick input");
      box.checked = some === numbers.length;
      box.indeterminate = some > 0 && some < numbers.length;
      row.classList.toggle("is-picked", some > 0);
    }
    this.onChosen(this.picked.size);
  }

  async update() {
    const part = await fetchPart(`/parts/alerts${this.query()}`);
    if (part) this.merge(part);
  }

  /** Put the server's rows in place of ours, keeping those that did not change, and with them the focus. */
  merge(part) {
    const old = new Map(this.top().map((row) => [row.id, row]));
    const fresh = [...part.querySelectorAll("#rows > li")].map((row) => this.kept(old.get(row.id), row));
    const older = this.top().slice(fresh.length);
    const held = document.activeElement?.closest?.(".alert-row, .storm-row")?.id, onBox = document.activeElement?.matches?.("[data-pick]");
    const ids = new Set(fresh.map((row) => row.id));
    const grown = this.holder.dataset.grown ? older.filter((row) => !ids.has(row.id)) : [];
    document.getElementById("rows").replaceChildren(...fresh, ...grown);
    this.holder.querySelector(".empty")?.remove();
    const ended = part.querySelector(".empty"), more = part.querySelector(".more-link");
    if (ended) this.holder.append(ended);
    if (!this.holder.dataset.grown) { this.holder.querySelector(".more-link")?.remove(); if (more) this.holder.append(more); }
    const again = held && document.getElementById(held);
    if (again && !again.contains(document.activeElement)) (onBox ? again.querySelector(".pick input") ?? handle(again) : handle(again)).focus({ preventScroll: true });
    this.mark();
    this.showPicked();
  }

  /** The row that is there already where it says the same, else the new one; a storm stays as open as it was. */
  kept(known, row) {
    row.source = row.outerHTML;
    if (known && (known.source ?? known.outerHTML) === row.source) return known;
    if (!known) row.classList.add("fresh");
    const was = known?.querySelector("details");
    if (was?.open && row.querySelector("details")) row.querySelector("details").open = true;
    return row;
  }

  top() { return [...document.getElementById("rows").children]; }

  async grow(link) {
    const part = await fetchPart(link.getAttribute("href").replace("/alerts", "/parts/alerts"));
    if (!part) return;
    this.holder.dataset.grown = "yes";
    const known = new Set(this.top().map((row) => row.id));
    document.getElementById("rows").append(...[...part.querySelectorAll("#rows > li")].filter((row) => !known.has(row.id)));
    link.parentElement.remove();
    this.showPicked();
    const next = part.querySelector(".more-link");
    if (next) this.holder.append(next);
  }
}

/** The numbers of the alerts that a row stands for. */
const numbersOf = (row) => stormOf(row) ?? (row?.dataset.alert ? [Number(row.dataset.alert)] : []);

/** The numbers of a storm's alerts; null where the row is none. */
export function stormOf(row) {
  return row?.dataset.alerts ? row.dataset.alerts.split(",").map(Number) : null;
}
