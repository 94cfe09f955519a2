// The third step: points of the cloth dragged onto the picture; each change is fitted anew, and told in millimetres.
import { calm } from "../api.js";
import { shape } from "./stage.js";

const FIT_GAP_MS = 250;
const FEWEST = 4;
const GOOD_MM = 5;
const DARKEST_MM = 10;

export function calibrating(guide) {
  const panel = guide.panel("calibration"), stage = guide.stage;
  const part = (name) => panel.querySelector(`[data-${name}]`);
  const [add, keep] = ["add", "keep"].map((act) => panel.querySelector(`[data-do=${act}]`));
  let points = {}, fit = null, current = null, are_markers = false, fits_asked = 0;

  const names = () => Object.keys(guide.told.reference_points);
  const nextName = () => names().find((name) => !points[name]) ?? null;

  async function ask(is_done) {
    const body = { points: are_markers ? null : points, is_done };
    return guide.attempt(() => guide.send("calibration", body));
  }
  const fitAgain = calm(FIT_GAP_MS, async () => {
    const asked = fits_asked;
    if (Object.keys(points).length < FEWEST || are_markers) {
      if (!are_markers) fit = null;
    } else {
      fit = await ask(false);
      if (fit) guide.say([], fit.problems);
    }
    show();
    if (asked === fits_asked) setFitting(false);
  });

  /** Fit the points anew. Nothing can be kept until the figures are shown: they move the button, and belong to what is kept. */
  function refit() {
    fits_asked += 1;
    setFitting(true);
    fitAgain();
  }

  function setFitting(is_fitting) {
    panel.setAttribute("aria-busy", String(is_fitting));
    keep.disabled = is_fitting;
  }

  function set(name, at) {
    if (!(name in guide.told.reference_points)) return;
    are_markers = false;
    points = { ...points, [name]: at.map((value) => Math.round(value * 10) / 10) };
    refit();
  }

  function choose(name) {
    current = name;
    const place = points[name] ?? fit?.places[name];
    if (place) stage.goTo(place, 0.2);
    show();
  }

  function showMap() {
    const map = part("map"), [width, depth] = guide.told.size_mm;
    map.setAttribute("viewBox", `0 0 ${width} ${depth}`);
    map.replaceChildren(...guide.told.areas.map((area) => shape("polygon", { points: area.polygon.map((at) => at.join()).join(" ") })));
    for (const [name, [cx, cy]] of Object.entries(guide.told.reference_points)) {
      map.append(shape("circle", { cx, cy, r: name === current ? width / 50 : width / 110, class: name === current ? "now" : points[name] ? "set" : "" }));
    }
  }

  function showFigures() {
    const rows = fit ? [
      ["Residual", `${fit.residual_px.toFixed(2)} px over ${Object.keys(fit.errors_px).length} points; lens ${fit.lens}`],
      ["Card boxes", `within ${fit.boxes_mm.toFixed(1)} mm`], ["Wagers", `within ${fit.wagers_mm.toFixed(1)} mm`],
      ["Worst place", `${fit.cloth_mm.toFixed(1)} mm, in 90 % of cases less`],
      ...Object.entries(fit.left_out).map(([name, off]) => ["Left out", `${name}: ${off.toFixed(0)} px from where the others put it`]),
    ] : [["Points", `${Object.keys(points).length} of at least ${FEWEST}`]];
    part("figures").replaceChildren(...rows.flatMap(([term, text]) => ["dt", "dd"].map((tag, i) => Object.assign(document.createElement(tag), { textContent: i ? text : term }))));
    add.hidden = !fit?.add || are_markers;
    if (fit?.add) add.textContent = Math.max(fit.boxes_mm, fit.wagers_mm) > GOOD_MM ? `Add a point here: ${fit.add}` : `A further point would help most at ${fit.add}`;
  }

  function showList() {
    part("points").replaceChildren(...names().map((name) => {
      const item = document.createElement("li"), button = document.createElement("button"), gone = document.createElement("button");
      [button.type, gone.type, gone.textContent] = ["button", "button", "Remove"];
      const off = fit?.errors_px[name], out = fit?.left_out[name];
      button.textContent = `${name}${out !== undefined ? `: left out, ${out.toFixed(0)} px off` : off !== undefined ? `: ${off.toFixed(1)} px off` : points[name] ? ": set" : ""}`;
      button.setAttribute("aria-pressed", String(name === current));
      button.addEventListener("click", () => choose(name));
      gone.setAttribute("aria-label", `Remove ${name}`);
      gone.hidden = !points[name];
      gone.addEventListener("click", () => { const { [name]: _, ...rest } = points; points = rest; refit(); show(); });
      item.append(button, gone);
      return item;
    }));
  }

  function show() {
    if (guide.step !== "calibration") return;
    stage.clear();
    if (!guide.told.steps.cloth) { part("current").textContent = "Choose or draw the cloth first."; return; }
    current ??= nextName();
    part("current").textContent = current ? `${points[current] ? "Chosen" : "Click where this point lies"}: ${current}` : "All points are set.";
    if (fit && part("heat").checked) for (const [off, outline] of fit.cells) stage.cell(outline, Math.min(0.6, (0.6 * off) / DARKEST_MM));
    if (fit && part("outlines").checked) for (const area of fit.areas) stage.outline(area.outline, { kind: area.kind, text: area.text });
    if (fit) for (const [name, at] of Object.entries(fit.places)) if (!points[name]) stage.hint(at);
    for (const [name, at] of Object.entries(points)) stage.handle(name, at, { kind: fit?.left_out[name] !== undefined ? "bad" : name === current ? "chosen" : "" });
    showMap();
    showFigures();
    showList();
  }

  panel.querySelector("[data-do=markers]").addEventListener("click", async ({ target }) => {
    are_markers = true;
    const found = await guide.attempt(() => guide.send("calibration", { points: null, is_done: false }), target);
    if (!found) { are_markers = false; return; }
    [fit, points] = [found, {}];
    guide.say([`Markers are found: ${Object.keys(found.errors_px).length / 4} of them.`], found.problems);
    show();
  });
  panel.querySelector("[data-do=view]").addEventListener("click", async ({ target }) => {
    const told = await guide.attempt(() => guide.send("lens", null, "POST"), target);
    if (!told) return;
    guide.showPicture();
    if (told.measured) refit();
    part("lens").textContent = told.say;
  });
  panel.querySelector("[data-do=unview]").addEventListener("click", async ({ target }) => {
    if (await guide.attempt(() => guide.send("lens", null, "DELETE"), target)) { refit(); part("lens").textContent = "The views and the lens are dropped."; }
  });
  add.addEventListener("click", () => choose(fit.add));
  for (const name of ["heat", "outlines"]) part(name).addEventListener("change", show);
  keep.addEventListener("click", async () => {
    setFitting(true);
    const kept = await ask(true);
    setFitting(false);
    if (!kept) return;
    guide.took(kept.draft);
    guide.next("calibration");
    guide.say(["The calibration is kept."], kept.problems);
  });

  return {
    open() {
      [points, fit, current, are_markers] = [{ ...guide.told.points }, null, null, false];
      part("from-drawing").hidden = guide.told.cloth !== "drawn";
      stage.use({
        point(at) {
          if (!current) return;
          const is_new = !points[current];
          set(current, at);
          if (is_new) current = nextName();
          show();
        },
        move(id, at) { points = { ...points, [id]: at }; current = id; show(); },
        drop: set,
        pick(id) { current = id; show(); return true; },
      });
      show();
      refit();
    },
  };
}
