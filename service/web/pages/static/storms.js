// Many alerts of one table in quick succession are one word on the page and one sound, not fifty.

const WEIGHTS = ["info", "low", "medium", "high", "critical"];
const weight = (severity) => WEIGHTS.indexOf(severity);

export class Storms {
  constructor({ least, gap_ms }) {
    this.least = least;
    this.gap_ms = gap_ms;
    this.byTable = new Map();
  }

  /** What an alert is part of: how many came without a longer gap, the worst of them, and whether it deserves a sound. */
  add(alert, now_ms) {
    const known = this.byTable.get(alert.table);
    const goes_on = known && now_ms - known.last_ms <= this.gap_ms;
    const before = goes_on ? known : { count: 0, worst: "info", last_ms: now_ms };
    const is_worse = weight(alert.severity) > weight(before.worst);
    const storm = { count: before.count + 1, worst: is_worse ? alert.severity : before.worst, last_ms: now_ms };
    this.byTable.set(alert.table, storm);
    const is_storm = storm.count >= this.least;
    return { ...storm, is_storm, is_news: !is_storm || is_worse || storm.count === this.least };
  }
}
