// Many alerts of one kind at one table in quick succession are one word on the page; grave faults of the dealing are heard each.

const WEIGHTS = ["info", "low", "medium", "high", "critical"];
export const weight = (severity) => WEIGHTS.indexOf(severity);

export class Storms {
  /** How many make one, the longest gap and span, what camera codes begin with; `open`: the alerts that wait already, `openNews` those of them that deserve a sound. */
  constructor({ least, gap_s, span_s, camera }, open = []) {
    Object.assign(this, { least, gap_ms: gap_s * 1000, span_ms: span_s * 1000, camera });
    this.byKind = new Map();
    this.openNews = open.filter((alert) => this.add(alert, Date.parse(alert.raised_at)).is_news);
  }

  /** What an alert is part of: how many of its kind came since when, the gravest of them, and whether it deserves a sound. */
  add(alert, now_ms) {
    const kind = `${alert.table} ${alert.code}`;
    const known = this.byKind.get(kind);
    const goes_on = known && now_ms - known.last_ms <= this.gap_ms && now_ms - known.first_ms <= this.span_ms;
    const before = goes_on ? known : { count: 0, first_ms: now_ms, gravest: null };
    const is_worse = before.gravest === null || weight(alert.severity) > weight(before.gravest.severity);
    const storm = { kind, count: before.count + 1, first_ms: before.first_ms, last_ms: now_ms, gravest: is_worse ? alert : before.gravest };
    this.byKind.set(kind, storm);
    const is_storm = storm.count >= this.least;
    const is_grave = weight(alert.severity) >= weight("high") && !alert.code.startsWith(this.camera);
    const has_doubled = Number.isInteger(Math.log2(storm.count / this.least));
    return { ...storm, is_storm, lasted_ms: storm.last_ms - storm.first_ms, is_news: !is_storm || is_worse || is_grave || has_doubled };
  }
}
