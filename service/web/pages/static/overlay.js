// Draw what was read over the clip: cards with their names, hands, wagers; it follows the frames, however slowly they go.

const SVG = "http://www.w3.org/2000/svg";
const LETTER = 0.62; // of a line's height, for the width of a plate
const KEY = "overlay";

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const corners = (polygon) => polygon.map(([x, y]) => `${x},${y}`).join(" ");

/** The last of a list of changes that has begun, found by halving; null before the first. */
function holding(changes, t) {
  let low = 0, high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle].t <= t) low = middle + 1; else high = middle;
  }
  return low ? changes[low - 1] : null;
}

export class Overlay {
  constructor(drawing, button) {
    this.drawing = drawing;
    this.button = button;
    this.told = null;
    this.isAllowed = true;
    this.drawn = null;
    this.t = null; // until a frame of the clip is shown: over the poster, or a clip that does not play, nothing is drawn
    this.show(localStorage.getItem(KEY) !== "off");
    this.load();
  }

  async load() {
    const answer = await fetch(this.drawing.dataset.overlay).catch(() => null);
    if (!answer?.ok) return;
    this.told = await answer.json();
    const [width, height] = this.told.size;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.middles = new Map(this.told.areas.map((area) => [area.id, middle(area.polygon)]));
    if (this.t !== null) this.draw(this.t);
  }

  toggle() {
    this.show(this.drawing.classList.contains("is-off"));
    localStorage.setItem(KEY, this.drawing.classList.contains("is-off") ? "off" : "on");
  }

  show(is) {
    this.drawing.classList.toggle("is-off", !is);
    this.button?.setAttribute("aria-pressed", String(is));
  }

  /** Whether what plays is what was read. */
  allow(is) {
    this.isAllowed = is;
    this.clear();
  }

  /** What was read at a moment of the clip, in seconds. */
  draw(t) {
    this.t = t;
    if (!this.told || !this.isAllowed) return;
    const cards = holding(this.told.cards, t + 0.001), texts = holding(this.told.texts, t + 0.001);
    if (this.drawn && this.drawn.cards === cards && this.drawn.texts === texts) return;
    this.drawn = { cards, texts };
    this.drawing.replaceChildren(...this.areas(texts), ...this.cards(cards));
  }

  /** No frame is shown. */
  clear() {
    this.t = this.drawn = null;
    this.drawing.replaceChildren();
  }

  areas(texts) {
    const parts = this.told.areas.map((area) => element("polygon", { points: corners(area.polygon), class: area.questioned ? "questioned" : "area" }));
    for (const [id, text] of Object.entries(texts?.shown ?? {})) {
      const at = this.middles.get(id);
      if (at) parts.push(...plate(at, text, 34));
    }
    return parts;
  }

  cards(cards) {
    return (cards?.shown ?? []).flatMap(({ polygon, text }) => [
      element("polygon", { points: corners(polygon), class: "lies" }),
      ...(text ? plate(above(polygon), text, 30) : []),
    ]);
  }
}

function middle(polygon) {
  const n = polygon.length;
  return [polygon.reduce((sum, [x]) => sum + x, 0) / n, Math.max(...polygon.map(([, y]) => y)) - 20];
}

function above(polygon) {
  return [polygon.reduce((sum, [x]) => sum + x, 0) / polygon.length, Math.min(...polygon.map(([, y]) => y)) - 18];
}

function plate([x, y], text, size) {
  const width = text.length * size * LETTER + size * 0.6, height = size * 1.25;
  return [
    element("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6, class: "plate" }),
    element("text", { x, y, class: size > 30 ? "hand-text" : "card-text" }, text),
  ];
}
