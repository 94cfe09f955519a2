// Remind of alerts that nobody took, on whichever page somebody is, again and again until one is taken.
import { weight } from "./storms.js";

export class Reminders {
  /** `open`: the alerts that wait, each with id, table, severity and raised_at. */
  constructor(open, { after_ms, show }) {
    this.waiting = new Map(open.map((alert) => [alert.id, alert]));
    this.after_ms = after_ms;
    this.show = show;
  }

  raised(alert) { this.waiting.set(alert.id, alert); }

  changed(change) { if (change.after !== "open") this.waiting.delete(change.alert); }

  /** Say which alerts wait for too long, if any do. */
  remind(now_ms) {
    const late = [...this.waiting.values()].filter((alert) => now_ms - Date.parse(alert.raised_at) > this.after_ms);
    if (!late.length) return;
    const worst = late.reduce((a, b) => (weight(b.severity) > weight(a.severity) ? b : a));
    this.show(late, worst);
  }
}
