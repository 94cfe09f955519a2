// The list of alerts: rows as the server makes them, storms that open, and which row a key is meant for.
import { fetchPart } from "./api.js";

/** A row's own place for the focus: its link, or the head of a storm. */
const handle = (row) => row.querySelector(row.classList.contains("storm-row") ? "summary" : "a");

export class AlertList {
  constructor(holder, { query, openedId }) {
    this.holder = holder;
    this.query = query;
    this.openedId = openedId;
    this.chosen = null;
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

  async update() {
    const part = await fetchPart(`/parts/alerts${this.query()}`);
    if (part) this.merge(part);
  }

  /** Put the server's rows in place of ours, keeping those that did not change, and with them the focus. */
  merge(part) {
    const old = new Map(this.top().map((row) => [row.id, row]));
    const fresh = [...part.querySelectorAll("#rows > li")].map((row) => this.kept(old.get(row.id), row));
    const older = this.top().slice(fresh.length);
    const held = document.activeElement?.closest?.(".alert-row, .storm-row")?.id;
    const ids = new Set(fresh.map((row) => row.id));
    const grown = this.holder.dataset.grown ? older.filter((row) => !ids.has(row.id)) : [];
    document.getElementById("rows").replaceChildren(...fresh, ...grown);
    this.holder.querySelector(".empty")?.remove();
    const ended = part.querySelector(".empty"), more = part.querySelector(".more-link");
    if (ended) this.holder.append(ended);
    if (!this.holder.dataset.grown) { this.holder.querySelector(".more-link")?.remove(); if (more) this.holder.append(more); }
    const again = held && document.getElementById(held);
    if (again) handle(again).focus({ preventScroll: true });
    this.mark();
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
    const next = part.querySelector(".more-link");
    if (next) this.holder.append(next);
  }
}

/** The numbers of a storm's alerts; null where the row is none. */
export function stormOf(row) {
  return row?.dataset.alerts ? row.dataset.alerts.split(",").map(Number) : null;
}
