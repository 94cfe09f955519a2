// The picture of the table with what is drawn on it: zoom, a cross for the keyboard, points to drag, a loupe. All places are pixels of the picture.

const SPACE = "http://www.w3.org/2000/svg";
const STEP = 1.4;
const SMALLEST_PX = 40;
const DRAG_PX = 4;
const LOUPE_PX = 60;

/** An SVG element with attributes. */
export function shape(name, attributes = {}, text = "") {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== "") element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** "Seat 3 Player Pair" as "3 PP". */
const shortened = (name) => name.replace(/^seat (\d+) (.+)$/i, (_, seat, bet) => `${seat} ${bet.split(" ").map((word) => word[0].toUpperCase()).join("")}`);

const middle = (points) => [0, 1].map((i) => points.reduce((sum, point) => sum + point[i], 0) / points.length);

export class Stage {
  constructor(element) {
    this.svg = element.querySelector(".table-stage");
    this.loupe = element.querySelector(".loupe");
    this.output = element.querySelector("[data-at]");
    this.empty = element.querySelector("[data-empty]");
    this.size = null;
    this.at = [0, 0];
    this.acts = {};
    this.image = shape("image", { preserveAspectRatio: "none" });
    [this.under, this.marks, this.handles] = ["under", "marks", "handles"].map(() => shape("g"));
    this.cross = shape("path", { class: "cross" });
    this.svg.append(this.image, this.under, this.marks, this.handles, this.cross);
    const zooms = { in: () => this.zoom(1 / STEP), out: () => this.zoom(STEP), whole: () => this.whole() };
    for (const button of element.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zooms[button.dataset.zoom]());
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("pointermove", (event) => this.drag(event));
    this.svg.addEventListener("pointerup", (event) => this.drop(event));
    this.svg.addEventListener("pointercancel", () => { this.held = null; });
    this.svg.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(event.deltaY > 0 ? STEP : 1 / STEP, this.place(event)); }, { passive: false });
    this.svg.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.fit()).observe(this.svg);
  }

  /** Show a picture; what is drawn on it stays, and so does the zoom where the size is the same. */
  picture(url, size) {
    const is_other = !this.size || this.size[0] !== size[0] || this.size[1] !== size[1];
    this.size = size;
    this.url = url;
    this.image.setAttribute("href", url);
    this.image.setAttribute("width", size[0]);
    this.image.setAttribute("height", size[1]);
    this.svg.style.aspectRatio = `${size[0]} / ${size[1]}`;
    this.svg.toggleAttribute("hidden", false);
    this.empty.hidden = true;
    if (is_other) { this.at = [size[0] / 2, size[1] / 2]; this.whole(); }
  }

  /** The acts of the step that is open: point(at), move(id, at), drop(id, at), hover(at), key(event). */
  use(acts) {
    this.acts = acts;
    this.clear();
  }

  clear() {
    for (const layer of [this.under, this.marks, this.handles]) layer.replaceChildren();
  }

  outline(points, { kind = "", text = "", layer = this.marks, is_open = false } = {}) {
    if (!points.length) return;
    layer.append(shape(is_open ? "polyline" : "polygon", { class: `outline ${kind}${is_open ? " open" : ""}`, points: points.map((point) => point.join()).join(" ") }));
    if (!text) return;
    const [x, y] = middle(points);
    layer.append(shape("text", { x, y, "data-name": text, "aria-hidden": "true" }, text));
    this.tidySoon();
  }

  /** Names do not cover each other: where there is no room a name is shortened, then left out until somebody zooms in. */
  tidy() {
    const kept = [], over = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
    for (const element of this.svg.querySelectorAll("text[data-name]")) {
      const name = element.dataset.name;
      element.toggleAttribute("hidden", false);
      const fits = [name, shortened(name)].some((text) => {
        element.textContent = text;
        return !kept.some((box) => over(box, element.getBBox()));
      });
      if (fits) kept.push(element.getBBox()); else element.toggleAttribute("hidden", true);
    }
  }

  tidySoon() {
    this.waiting ??= requestAnimationFrame(() => { this.waiting = null; this.tidy(); });
  }

  cell(points, opacity) {
    this.under.append(shape("polygon", { class: "cell", points: points.map((point) => point.join()).join(" "), "fill-opacity": opacity.toFixed(2) }));
  }

  hint([cx, cy]) {
    this.marks.append(shape("circle", { class: "hint", cx, cy }));
  }

  handle(id, [cx, cy], { kind = "", text = "", mark = "" } = {}) {
    const circle = shape("circle", { class: `handle ${kind}`, cx, cy, "data-handle": id });
    circle.append(shape("title", {}, text || id));
    this.handles.append(circle);
    if (mark) this.handles.append(shape("text", { x: cx, y: cy - 12 * (this.unit ?? 1), class: "mark" }, mark));
  }

  whole() {
    if (this.size) this.see(0, 0, ...this.size);
  }

  zoom(by, at = this.at) {
    if (!this.size) return;
    const [x, y, width, height] = this.box, wide = Math.min(this.size[0], Math.max(SMALLEST_PX, width * by)), grown = wide / width;
    this.see(at[0] - grown * (at[0] - x), at[1] - grown * (at[1] - y), wide, height * grown);
  }

  /** Bring a place to the middle, near enough to see its pixels. */
  goTo(at, share = 0.25) {
    this.at = at;
    const wide = this.size[0] * share, high = this.size[1] * share;
    this.see(at[0] - wide / 2, at[1] - high / 2, wide, high);
  }

  see(x, y, width, height) {
    const within = (from, length, all) => Math.min(Math.max(0, from), all - length);
    this.box = [within(x, width, this.size[0]), within(y, height, this.size[1]), width, height];
    this.svg.setAttribute("viewBox", this.box.join(" "));
    this.fit();
  }

  /** Points and texts are as large on the screen at any zoom. */
  fit() {
    if (!this.size) return;
    this.unit = this.box[2] / Math.max(1, this.svg.clientWidth);
    this.svg.style.setProperty("--unit", String(this.unit));
    this.tidySoon();
    this.show(this.at);
  }

  show(at) {
    this.at = [0, 1].map((i) => Math.min(this.size[i] - 1, Math.max(0, at[i])));
    const [x, y] = this.at, arm = 14 * this.unit, half = LOUPE_PX / 2;
    this.cross.setAttribute("d", `M${x - arm} ${y}H${x + arm}M${x} ${y - arm}V${y + arm}`);
    this.output.textContent = this.acts.told?.(this.at) ?? `${Math.round(x)}, ${Math.round(y)} px`;
    if (!this.lens) {
      this.lens = shape("image", { preserveAspectRatio: "none" });
      this.loupe.append(this.lens, shape("path", { class: "cross", d: "" }));
    }
    for (const key of ["width", "height"]) this.lens.setAttribute(key, this.image.getAttribute(key));
    if (this.lens.getAttribute("href") !== this.url) this.lens.setAttribute("href", this.url);
    this.loupe.classList.toggle("aside", x > this.box[0] + this.box[2] / 2); // never over what is looked at
    this.loupe.setAttribute("viewBox", `${x - half} ${y - half} ${LOUPE_PX} ${LOUPE_PX}`);
    this.loupe.lastChild.setAttribute("d", `M${x - half} ${y}h${LOUPE_PX}M${x} ${y - half}v${LOUPE_PX}`);
  }

  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  grab(event) {
    if (event.button || !this.size) return;
    this.held = { handle: event.target.dataset?.handle ?? null, from: [event.clientX, event.clientY], is_moved: false };
    this.svg.setPointerCapture(event.pointerId);
    this.svg.focus({ preventScroll: true });
  }

  drag(event) {
    if (!this.size) return;
    const at = this.place(event);
    this.show(at);
    this.acts.hover?.(at);
    const held = this.held;
    if (!held) return;
    const [dx, dy] = [event.clientX - held.from[0], event.clientY - held.from[1]];
    if (!held.is_moved && Math.hypot(dx, dy) < DRAG_PX) return;
    held.is_moved = true;
    if (held.handle !== null) { this.acts.move?.(held.handle, this.at); return; }
    held.from = [event.clientX, event.clientY];
    this.see(this.box[0] - dx * this.unit, this.box[1] - dy * this.unit, this.box[2], this.box[3]);
  }

  drop(event) {
    const held = this.held;
    this.held = null;
    if (!held) return;
    if (held.is_moved) { if (held.handle !== null) this.acts.drop?.(held.handle, this.at); return; }
    this.show(this.place(event));
    if (held.handle !== null && this.acts.pick?.(held.handle)) return;
    this.acts.point?.(this.at);
  }

  press(event) {
    if (event.altKey || event.metaKey || !this.size) return;
    if (event.ctrlKey) { this.acts.key?.(event); return; }
    const by = (event.shiftKey ? 10 : 1) * Math.max(1, Math.round(this.unit));
    const moves = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] };
    const keys = { "+": () => this.zoom(1 / STEP), "=": () => this.zoom(1 / STEP), "-": () => this.zoom(STEP), 0: () => this.whole() };
    if (moves[event.key]) {
      this.show(this.at.map((value, i) => value + moves[event.key][i]));
      this.acts.hover?.(this.at);
    } else if (keys[event.key]) keys[event.key]();
    else if (event.key === "Enter" || event.key === " ") this.acts.point?.(this.at);
    else { this.acts.key?.(event); return; }
    event.preventDefault();
  }
}
