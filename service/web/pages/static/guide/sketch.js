// A drawing of a cloth: its areas in millimetres, what was done to it, and the way between it and the picture.
import { corners, distance, homography } from "./shapes.js";

export class Sketching {
  constructor() { this.load(null); }

  /** Take up a drawing that was kept. */
  load(kept) {
    this.size_mm = kept?.size_mm ?? null;
    this.frame_mm = kept?.frame_mm ?? null;
    this.corners_px = kept?.corners_px.map((at) => [...at]) ?? [];
    this.areas = kept?.areas.map((area) => ({ ...area })) ?? [];
    this.is_changed = false;
    [this.before, this.after] = [[this.#state()], []];
    this.#map();
  }

  document() {
    const areas = this.areas.map((area) => ({ ...area, polygon: area.polygon.map((at) => at.map((value) => Math.round(value * 10) / 10)) }));
    return { name: "drawn", size_mm: this.size_mm ?? [0, 0], frame_mm: this.frame_mm ?? [0, 0, 0, 0], corners_px: this.corners_px, areas };
  }

  get is_ready() { return this.corners_px.length === 4 && Boolean(this.toCloth); }

  measure(size_mm, frame_mm) {
    if (!(size_mm[0] > 0 && size_mm[1] > 0)) return;
    [this.size_mm, this.frame_mm] = [size_mm, frame_mm];
    this.note();
  }

  /** One more corner of the cloth; false before its size is known. */
  corner(at) {
    if (!this.size_mm) return false;
    this.corners_px.push(at);
    this.note();
    return true;
  }

  moveCorner(i, at) {
    this.corners_px = this.corners_px.map((corner, k) => (k === i ? at : corner));
    this.#map();
  }

  moveVertex(id, i, at) {
    this.areas = this.areas.map((area) => (area.id === id ? { ...area, polygon: area.polygon.map((place, k) => (k === i ? at : place)) } : area));
  }

  add(area) {
    this.areas = [...this.areas, { ...area, id: this.#free(area.id) }];
    this.note();
  }

  remove(id) {
    this.areas = this.areas.filter((area) => area.id !== id);
    this.note();
  }

  seats() { return [...new Set(this.areas.map((area) => area.seat).filter((seat) => seat !== null))].sort((a, b) => a - b); }

  /** Draw a seat's areas at other seats: each a number and what moves the points there; what they had goes. */
  copy(from, others) {
    const own = this.areas.filter((area) => area.seat === from), gone = others.map(([seat]) => seat);
    const copies = others.flatMap(([seat, moved]) => own.map((area) => ({ ...area, seat, id: `s${seat}-${area.bet}`, polygon: moved(area.polygon) })));
    this.areas = [...this.areas.filter((area) => !gone.includes(area.seat)), ...copies];
    this.note();
  }

  /** The two corners of a seat's areas that are farthest from each other: they tell best how it is turned. Of circles alone any places; null where it has none. */
  farthest(seat) {
    const outlines = this.areas.filter((area) => area.seat === seat).map((area) => area.polygon), sharp = outlines.flatMap(corners);
    const points = sharp.length > 1 ? sharp : outlines.flat();
    let best = null;
    for (const one of points) for (const other of points) if (!best || distance(one, other) > distance(...best)) best = [one, other];
    return best;
  }

  cornersBut(id) { return this.areas.filter((area) => area.id !== id).flatMap((area) => area.polygon); }

  /** What was done can be undone from here. */
  note() {
    this.before.push(this.#state());
    this.after = [];
    this.#map();
  }

  undo() {
    if (this.before.length > 1) { this.after.push(this.before.pop()); this.#back(this.before.at(-1)); }
  }

  redo() {
    if (this.after.length) { this.before.push(this.after.pop()); this.#back(this.before.at(-1)); }
  }

  #state() { return JSON.stringify({ size_mm: this.size_mm, frame_mm: this.frame_mm, corners_px: this.corners_px, areas: this.areas }); }

  #back(state) {
    Object.assign(this, JSON.parse(state));
    this.#map();
  }

  #free(id) {
    const known = this.areas.map((area) => area.id);
    let name = id;
    for (let n = 2; known.includes(name); n++) name = `${id}-${n}`;
    return name;
  }

  #map() {
    this.toCloth = this.toImage = null;
    if (this.corners_px.length !== 4 || !this.frame_mm) return;
    const [left, top, width, depth] = this.frame_mm;
    const corners = [[left, top], [left + width, top], [left + width, top + depth], [left, top + depth]];
    this.toCloth = homography(this.corners_px, corners);
    this.toImage = homography(corners, this.corners_px);
  }
}
