// The second step: a cloth that is known, or one that is drawn onto the picture. What is drawn is in millimetres from the first click on.
import { calm } from "../api.js";
import { Sketching } from "./sketch.js";
import { arc, box, circle, distance, mirrored, repeater, snapped } from "./shapes.js";

const KEPT_AFTER_MS = 1500;
const CORNERS = ["top left", "top right", "bottom right", "bottom left"];
const SNAP_PX = 9;
const SNAP_MM = 6; // areas that are printed beside each other leave 8 mm and more, and must not be drawn together
const MOST_HANDLES = 14;
const TOOLS = {
  box: { clicks: 2, help: "Click two opposite corners; the edges run along the cloth's.", make: box },
  polygon: { clicks: 99, help: "Click each corner; end the outline at the first one, with the button, or with the letter E.", make: (...points) => points },
  circle: { clicks: 2, help: "Click the middle, then the rim.", make: circle },
  arc: { clicks: 4, help: "Click the outer edge's begin, middle and end, then the inner edge.", make: arc },
};

export function drawing(guide) {
  const panel = guide.panel("cloth"), stage = guide.stage, form = panel.querySelector("[data-sketch]");
  const field = (name) => panel.querySelector(`[data-field=${name}]`);
  const told = { corner: panel.querySelector("[data-next-corner]"), help: panel.querySelector("[data-tool-help]"), areas: panel.querySelector("[data-areas]") };
  const sketch = new Sketching();
  let tool = "box", clicks = [], chosen = null, repeat = null;

  /** Keep the drawing as far as it came. */
  async function flush(is_left = false) {
    if (!sketch.is_changed) return;
    sketch.is_changed = false;
    const answer = await guide.attempt(() => guide.send("sketch", { sketch: sketch.document(), is_done: false }, "PUT", is_left));
    if (answer) guide.told.sketch = answer.draft.sketch;
  }
  const keep = calm(KEPT_AFTER_MS, flush);
  addEventListener("pagehide", () => flush(true));
  /** The bets of the rulebook that is elected; of all before one is. */
  const bets = () => [...new Set(guide.rulebooks.filter((one) => !guide.told.house || one.id === guide.told.house.rulebook).flatMap((one) => one.bets))];

  function changed() {
    sketch.is_changed = true;
    keep();
    show();
  }

  /** What the fields say of the next area. */
  function meant() {
    const [kind, hand] = field("kind").value.split(":");
    if (kind !== "wager") return { id: hand ? `${hand}-box` : kind.replace("no_more_bets_", ""), kind, hand: hand ?? null, seat: null, bet: null };
    const seat = field("seat").value ? Number(field("seat").value) : null, bet = field("bet").value;
    return { id: `${seat === null ? "standing" : `s${seat}`}-${bet}`, kind, hand: null, seat, bet };
  }

  /** After one is drawn the fields say what usually comes next. */
  function goOn({ kind, bet }) {
    if (field("kind").value === "hand:player") field("kind").value = "hand:banker";
    else if (field("kind").value === "hand:banker") field("kind").value = "wager";
    else if (kind === "wager") {
      const all = bets(), at = all.indexOf(bet) + 1;
      field("bet").value = all[at % all.length];
    }
  }

  function end() {
    const polygon = TOOLS[tool].make(...clicks);
    clicks = [];
    if (!polygon || polygon.length < 3) { guide.say(["These points make no outline; draw it again."]); show(); return; }
    const area = { ...meant(), polygon };
    sketch.add(area);
    goOn(area);
    changed();
  }

  function near_mm() {
    const here = sketch.toCloth(stage.at), there = sketch.toCloth([stage.at[0] + SNAP_PX * stage.unit, stage.at[1]]);
    return distance(here, there);
  }
  const snap = (at, left = null) => {
    if (!panel.querySelector("[data-snap]").checked) return at;
    const last = tool === "polygon" ? clicks.at(-1) : null; // an arc's places are never level by intention
    return snapped(at, [...sketch.cornersBut(left), ...clicks], last, Math.min(near_mm(), SNAP_MM));
  };

  function point(at) {
    if (!sketch.is_ready) {
      if (!sketch.corner(at)) guide.say(["Give the cloth's width and depth first."]);
      changed();
      return;
    }
    const place = sketch.toCloth(at);
    if (repeat) { repeated(snap(place)); return; }
    const placed = snap(place);
    if (tool === "polygon" && clicks.length > 2 && distance(placed, clicks[0]) <= near_mm()) { end(); return; }
    clicks.push(placed);
    if (clicks.length === TOOLS[tool].clicks) end(); else show();
  }

  /** The two places of the first seat, then where they lie at the last one. */
  function repeated(place) {
    repeat.clicks.push(place);
    if (repeat.clicks.length < 2) { tellRepeat(); return; }
    const { from, to, places } = repeat, turn = repeater(places, repeat.clicks), count = Math.abs(to - from), step = Math.sign(to - from);
    repeat = null;
    sketch.copy(from, Array.from({ length: count }, (_, i) => [from + step * (i + 1), (points) => turn(points, (i + 1) / count)]));
    guide.say([`Seats ${from} to ${to} are drawn.`]);
    changed();
  }

  function tellRepeat() {
    guide.say([`Click where the marked corner ${repeat.clicks.length + 1} of seat ${repeat.from} lies at seat ${repeat.to}.`]);
    show();
  }

  const range = () => ["from", "to"].map((name) => Number(panel.querySelector(`[data-repeat-${name}]`).value));
  const acts = {
    undo() { if (clicks.length) clicks.pop(); else sketch.undo(); changed(); },
    redo() { sketch.redo(); changed(); },
    close() { if (tool === "polygon" && clicks.length > 2) end(); },
    repeat() {
      const [from, to] = range(), points = sketch.farthest(from);
      if (!points || from === to) { guide.say([`Draw the areas of seat ${from} first.`]); return; }
      repeat = { from, to, places: points, clicks: [] };
      tellRepeat();
    },
    mirror() {
      const [from, to] = range(), width = sketch.size_mm[0], seats = sketch.seats().filter((seat) => seat >= from && seat < (from + to) / 2);
      if (!seats.length) { guide.say([`Draw the areas of seat ${from} first.`]); return; }
      for (const seat of seats) sketch.copy(seat, [[from + to - seat, (points) => mirrored(points, width).reverse()]]);
      changed();
    },
    async done() {
      sketch.is_changed = false;
      const answer = await guide.attempt(() => guide.send("sketch", { sketch: sketch.document(), is_done: true }));
      if (!answer) return;
      guide.took(answer.draft);
      guide.next("cloth");
      guide.say(["The cloth is kept."], answer.problems);
    },
  };
  for (const button of panel.querySelectorAll("[data-do]")) button.addEventListener("click", () => acts[button.dataset.do]());

  for (const button of panel.querySelectorAll("[data-tool]")) {
    button.addEventListener("click", () => {
      [tool, clicks] = [button.dataset.tool, []];
      for (const other of panel.querySelectorAll("[data-tool]")) other.setAttribute("aria-pressed", String(other === button));
      show();
    });
  }

  function measure() {
    const number = (name) => Number(form.elements[name].value);
    const size = [number("width"), number("depth")];
    sketch.measure(size, [number("left"), number("top"), number("frame-width") || size[0], number("frame-depth") || size[1]]);
    changed();
  }
  form.addEventListener("change", measure);
  form.addEventListener("submit", (event) => event.preventDefault());

  panel.querySelector("[data-act=cloth]").addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await guide.attempt(() => guide.send("cloth", { name: event.target.elements.name.value }));
    if (!answer) return;
    guide.took(answer.draft);
    guide.next("cloth");
    guide.say(["The cloth is kept."], answer.problems);
  });

  const textOf = ({ kind, hand, seat, bet }) => (kind === "hand" ? `${hand} box` : kind === "wager" ? `${seat === null ? "standing" : `seat ${seat}`} ${bet.replaceAll("_", " ")}` : kind.replaceAll("_", " "));

  function showAreas() {
    told.areas.replaceChildren(...sketch.areas.map((area) => {
      const item = document.createElement("li"), name = document.createElement("button"), gone = document.createElement("button");
      [name.type, gone.type, name.textContent, gone.textContent] = ["button", "button", textOf(area), "Delete"];
      name.setAttribute("aria-pressed", String(chosen === area.id));
      gone.setAttribute("aria-label", `Delete ${textOf(area)}`);
      name.addEventListener("click", () => { chosen = chosen === area.id ? null : area.id; show(); });
      gone.addEventListener("click", () => { sketch.remove(area.id); changed(); });
      item.append(name, gone);
      return item;
    }));
  }

  function show() {
    if (guide.step !== "cloth") return;
    stage.clear();
    panel.querySelector("[data-drawing]").hidden = !sketch.is_ready;
    told.corner.textContent = sketch.is_ready ? "" : sketch.size_mm ? `Click the corner: ${CORNERS[sketch.corners_px.length]}, with the dealer's edge up.` : "Give the cloth's width and depth, then click its four corners.";
    told.help.textContent = TOOLS[tool].help;
    sketch.corners_px.forEach((at, i) => stage.handle(`corner ${i}`, at, { text: CORNERS[i] }));
    showAreas();
    if (!sketch.is_ready) return;
    for (const area of sketch.areas) {
      stage.outline(area.polygon.map(sketch.toImage), { kind: `${area.kind}${area.id === chosen ? " chosen" : ""}`, text: textOf(area) });
      if (area.id === chosen && area.polygon.length <= MOST_HANDLES) area.polygon.forEach((at, i) => stage.handle(`vertex ${i}`, sketch.toImage(at)));
    }
    if (clicks.length) stage.outline(clicks.map(sketch.toImage), { is_open: true });
    for (const at of clicks) stage.hint(sketch.toImage(at));
    if (repeat) repeat.places.forEach((at, i) => stage.handle(`place ${i}`, sketch.toImage(at), { kind: i === repeat.clicks.length ? "chosen" : "", text: `corner ${i + 1}`, mark: String(i + 1) }));
  }

  /** Corners of the cloth and of the chosen area follow the pointer. */
  function move(id, at) {
    const [what, number] = id.split(" ");
    if (what === "corner") sketch.moveCorner(Number(number), at);
    else if (what === "vertex") sketch.moveVertex(chosen, Number(number), snap(sketch.toCloth(at), chosen));
    show();
  }

  return {
    open() {
      sketch.load(guide.told.sketch);
      field("bet").replaceChildren(...bets().map((bet) => new Option(bet.replaceAll("_", " "), bet)));
      if (sketch.size_mm) ["width", "depth"].forEach((name, i) => { form.elements[name].value = sketch.size_mm[i]; });
      if (guide.told.sketch) ["left", "top", "frame-width", "frame-depth"].forEach((name, i) => { form.elements[name].value = sketch.frame_mm[i]; });
      stage.use({
        point, move,
        drop: () => { sketch.note(); changed(); },
        told: (at) => (sketch.is_ready ? sketch.toCloth(at).map(Math.round).join(", ") + " mm" : `${at.map(Math.round).join(", ")} px`),
        key(event) {
          const keys = { z: acts.undo, y: acts.redo };
          const act = event.ctrlKey ? keys[event.key] : event.key === "e" ? acts.close : event.key === "Escape" ? () => { [clicks, repeat] = [[], null]; show(); } : null;
          if (act) { event.preventDefault(); act(); }
        },
      });
      show();
    },
    leave() {
      guide.told.sketch = sketch.document();
      flush();
    },
  };
}
