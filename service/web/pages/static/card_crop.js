// The card that is corrected: its picture under a glass that zooms, the moment beside it, and the video of that moment.
import { ask as askFor } from "./api.js";

const LEAD_S = 1.5;
const AFTER_S = 3;
const STEP = 1.5;
const LARGEST = 40;
const RIM = 0.25;
const MOVE_PX = 40;
const DRAG_PX = 4;
const OUTSET = 1.08;
const LINE_PX = 2;

/** Zooms and moves a picture within its frame, by buttons, keys, wheel and pointer. */
class Glass {
  constructor(element) {
    this.frame = element.querySelector(".glass");
    this.pane = element.querySelector(".pane");
    this.output = element.querySelector("output");
    this.size = [1, 1];
    this.outline = [];
    const acts = { in: () => this.zoom(STEP), out: () => this.zoom(1 / STEP), card: () => this.showCard(), whole: () => this.showWhole() };
    for (const button of element.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => acts[button.dataset.zoom]());
    this.toCard = element.querySelector("[data-zoom=card]");
    this.frame.addEventListener("keydown", (event) => this.press(event));
    this.frame.addEventListener("wheel", (event) => this.roll(event), { passive: false });
    this.frame.addEventListener("pointerdown", (event) => this.grab(event));
    this.frame.addEventListener("pointermove", (event) => this.drag(event));
    this.frame.addEventListener("pointerup", (event) => this.drop(event));
    this.frame.addEventListener("pointercancel", () => { this.held = null; });
    new ResizeObserver(() => this.again()).observe(this.frame);
  }

  show({ url, size, outline }, alt) {
    const image = this.pane.querySelector("img"), drawing = this.pane.querySelector("svg");
    [this.size, this.outline] = [size, outline];
    image.alt = alt;
    image.src = url;
    this.pane.style.width = `${size[0]}px`;
    this.pane.style.height = `${size[1]}px`;
    drawing.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    const middle = [0, 1].map((i) => outline.reduce((sum, point) => sum + point[i], 0) / (outline.length || 1));
    const around = outline.map((point) => point.map((at, i) => middle[i] + (at - middle[i]) * OUTSET));
    drawing.querySelector("polygon").setAttribute("points", around.map((point) => point.join()).join(" "));
    this.toCard.hidden = !outline.length;
    this.showCard();
  }

  showCard() {
    if (!this.outline.length) { this.showWhole(); return; }
    const [xs, ys] = [0, 1].map((i) => this.outline.map((point) => point[i]));
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const rim = RIM * Math.min(right - left, bottom - top);
    this.fit([left - rim, top - rim, right + rim, bottom + rim]);
    this.again = () => this.showCard();
  }

  showWhole() {
    this.fit([0, 0, ...this.size]);
    this.again = () => this.showWhole();
  }

  again() {}

  fit([left, top, right, bottom]) {
    const { clientWidth: width, clientHeight: height } = this.frame;
    this.scale = Math.min(width / (right - left), height / (bottom - top));
    this.place(width / 2 - (this.scale * (left + right)) / 2, height / 2 - (this.scale * (top + bottom)) / 2);
  }

  least() { return Math.min(this.frame.clientWidth / this.size[0], this.frame.clientHeight / this.size[1]); }

  zoom(by, at = [this.frame.clientWidth / 2, this.frame.clientHeight / 2]) {
    const scale = Math.min(LARGEST, Math.max(this.least(), this.scale * by)), grown = scale / this.scale;
    this.scale = scale;
    this.again = () => this.place(this.x, this.y);
    this.place(at[0] - grown * (at[0] - this.x), at[1] - grown * (at[1] - this.y));
  }

  move(x, y) {
    this.again = () => this.place(this.x, this.y);
    this.place(this.x + x, this.y + y);
  }

  /** Where the picture's corner lies; it never leaves the frame's middle. */
  place(x, y) {
    const bound = (at, length, shown) => Math.min(shown / 2, Math.max(shown / 2 - length * this.scale, at));
    this.x = bound(x, this.size[0], this.frame.clientWidth);
    this.y = bound(y, this.size[1], this.frame.clientHeight);
    this.pane.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.pane.querySelector("polygon").style.strokeWidth = String(LINE_PX / this.scale);
    this.output.textContent = `${this.scale.toFixed(1)} ×`;
  }

  press(event) {
    const keys = {
      "+": () => this.zoom(STEP), "=": () => this.zoom(STEP), "-": () => this.zoom(1 / STEP), 0: () => this.showCard(), 1: () => this.showWhole(),
      ArrowLeft: () => this.move(MOVE_PX, 0), ArrowRight: () => this.move(-MOVE_PX, 0), ArrowUp: () => this.move(0, MOVE_PX), ArrowDown: () => this.move(0, -MOVE_PX),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  within(event) {
    const box = this.frame.getBoundingClientRect();
    return [event.clientX - box.left - this.frame.clientLeft, event.clientY - box.top - this.frame.clientTop];
  }

  roll(event) {
    event.preventDefault();
    this.zoom(STEP ** (-Math.sign(event.deltaY) / 2), this.within(event));
  }

  grab(event) {
    if (event.button) return;
    this.held = { at: this.within(event), is_moved: false };
    this.frame.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.held) return;
    const [x, y] = this.within(event), [x0, y0] = this.held.at;
    if (!this.held.is_moved && Math.hypot(x - x0, y - y0) < DRAG_PX) return;
    this.held = { at: [x, y], is_moved: true };
    this.move(x - x0, y - y0);
  }

  /** A click, which is no drag, enlarges what it points at. */
  drop(event) {
    const held = this.held;
    this.held = null;
    if (held && !held.is_moved) this.zoom(STEP, this.within(event));
  }
}

export class CardCrop {
  /** `clips` promises the clips of the round. */
  constructor(element, clips) {
    [this.element, this.clips] = [element, clips];
    this.told = element.querySelector("[data-told]");
    this.figure = element.querySelector("figure");
    this.glass = new Glass(element);
    this.facts = element.querySelector("dl");
    this.button = element.querySelector("[data-moment]");
    this.video = element.querySelector("video");
    this.button.addEventListener("click", () => this.play());
    this.video.addEventListener("loadedmetadata", () => { this.video.currentTime = this.begin_s; });
    this.video.addEventListener("timeupdate", () => { if (this.video.currentTime > this.begin_s + LEAD_S + AFTER_S) this.video.pause(); });
    this.video.addEventListener("error", () => { if (this.video.getAttribute("src")) this.tell("This browser cannot play the video: not every browser plays H.265."); });
  }

  tell(text) {
    this.told.textContent = text;
    this.told.hidden = !text;
  }

  hide() {
    this.asked = null;
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
    this.element.hidden = true;
  }

  async show(address) {
    this.hide();
    for (const part of [this.figure, this.facts, this.button, this.video]) part.hidden = true;
    this.element.hidden = false;
    this.tell("Looking for the card …");
    this.asked = address;
    const [card, clips] = await Promise.all([askFor(address), this.clips]);
    if (this.asked !== address) return;
    if (!card?.line) { this.tell(card?.error?.message ?? "The service does not answer."); return; }
    this.write(card);
    this.tell([card.why_none ?? this.explain(card), this.find(card, clips)].filter(Boolean).join(" "));
    if (!card.picture) return;
    this.figure.hidden = false;
    this.glass.show(card.picture, `${{ card: "The card", hand: "The hand's box", table: "The table" }[card.picture.shows]} at ${this.time(card.picture.at)}`);
  }

  explain({ hand, picture }) {
    if (picture.shows === "card") return "";
    return picture.shows === "hand" ? `The card was not found in the frame. This is the ${hand === "player" ? "Player" : "Banker"}'s box.` : "The card was not found in the frame. This is the whole table.";
  }

  time(moment) {
    return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 1, timeZone: document.body.dataset.zone }).format(Date.parse(moment));
  }

  write({ at, t, hand, card, picture }) {
    const facts = [["Moment", this.time(at)], ["In the log", `${t.toFixed(2)} s`], ["Read as", card ?? "nothing"], ["Lay in", hand ? `the ${hand === "player" ? "Player" : "Banker"}'s box` : "no hand's box"]];
    if (picture) {
      const minutes = Math.floor(picture.second_s / 60), seconds = (picture.second_s % 60).toFixed(1).padStart(4, "0");
      facts.splice(1, 0, ["The frame", this.time(picture.at)], ["Out of", `${picture.source}, ${minutes}:${seconds}`]);
    }
    this.facts.replaceChildren(...facts.flatMap(([name, text]) => {
      const [term, told] = [document.createElement("dt"), document.createElement("dd")];
      [term.textContent, told.textContent] = [name, text];
      return [term, told];
    }));
    this.facts.hidden = false;
  }

  /** The clip that shows the moment; a word where none does. */
  find({ at }, clips) {
    const at_ms = Date.parse(at);
    this.clip = clips.find((one) => Date.parse(one.from) <= at_ms && at_ms <= Date.parse(one.to)) ?? null;
    this.button.hidden = !this.clip;
    if (!this.clip) return "No video of this moment is kept.";
    this.begin_s = Math.max(0, (at_ms - Date.parse(this.clip.from)) / 1000 - LEAD_S);
    return "";
  }

  play() {
    this.video.hidden = false;
    if (this.video.getAttribute("src") !== this.clip.clip) this.video.src = this.clip.clip;
    else this.video.currentTime = this.begin_s;
    this.video.play().catch(() => {});
  }
}
