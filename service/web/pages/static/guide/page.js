// The guided page: which step is open, what is settled, and what was said of it.
import { send } from "../api.js";
import { calibrating } from "./calibrate.js";
import { looking } from "./camera.js";
import { choosingChips } from "./chips.js";
import { drawing } from "./cloth.js";
import { electing } from "./house.js";
import { Stage } from "./stage.js";
import { trying } from "./trial.js";

const root = document.querySelector("[data-guide]");
const fault = root.querySelector("[data-fault]"), words = root.querySelector("[data-words]");
const ORDER = ["camera", "cloth", "calibration", "chips", "house", "trial"];

/** What all steps share. */
const guide = {
  root,
  stage: new Stage(root.querySelector("[data-stage]")),
  told: JSON.parse(root.dataset.told),
  rulebooks: JSON.parse(root.dataset.rulebooks),
  chipSets: JSON.parse(root.dataset.chipSets),
  path: `/api/new-tables/${encodeURIComponent(root.dataset.guide)}`,
  panel: (step) => root.querySelector(`[data-panel=${step}]`),

  /** Say what was found; of problems what to do. */
  say(lines, problems = []) {
    fault.hidden = true;
    const items = [
      ...lines.map((text) => ["", text]),
      ...problems.map(({ grade, where, key, value, say }) => [grade, `${grade}: ${where}: ${key ? `${key}${value === undefined || value === null ? "" : ` = ${value}`}; ` : ""}${say}`]),
    ];
    words.replaceChildren(...items.map(([kind, text]) => Object.assign(document.createElement("li"), { className: kind, textContent: text })));
  },

  /** Do something that may be refused; says why, and gives null. */
  async attempt(act, button = null) {
    if (button) button.disabled = true;
    try {
      const answer = await act();
      fault.hidden = true;
      return answer;
    } catch (error) {
      words.replaceChildren();
      fault.textContent = error.message;
      fault.hidden = false;
      return null;
    } finally {
      if (button) button.disabled = false;
    }
  },

  send: (step, body, method = "PUT", is_left = false) => send(`${guide.path}/${step}`, body, method, is_left),

  /** Take over what the service now knows of this table. */
  took(told) {
    guide.told = told;
    showSteps();
  },

  showPicture() {
    if (guide.told.size_px) guide.stage.picture(`${guide.path}/picture?of=${Date.now()}`, guide.told.size_px);
  },

  /** Open a step. */
  open(step) {
    for (const panel of root.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== step;
    if (guide.step && guide.step !== step) steps[guide.step].leave?.();
    guide.step = step;
    guide.say([]);
    guide.stage.use({});
    history.replaceState(null, "", `#${step}`);
    showSteps();
    steps[step].open();
  },

  /** Open the step after this one. */
  next: (step) => guide.open(ORDER[ORDER.indexOf(step) + 1]),
};

const steps = {
  camera: looking(guide), cloth: drawing(guide), calibration: calibrating(guide),
  chips: choosingChips(guide), house: electing(guide), trial: trying(guide),
};

function showSteps() {
  for (const button of root.querySelectorAll("[data-step]")) {
    const is_settled = guide.told.steps[button.dataset.step];
    button.querySelector(".guide-state").textContent = is_settled ? "settled" : "";
    if (button.dataset.step === guide.step) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
  }
  for (const element of root.querySelectorAll("[data-when]")) element.hidden = !guide.told.steps[element.dataset.when];
}

for (const button of root.querySelectorAll("[data-step]")) button.addEventListener("click", () => guide.open(button.dataset.step));
guide.showPicture();
const asked = location.hash.slice(1);
guide.open(ORDER.includes(asked) ? asked : ORDER.find((step) => !guide.told.steps[step]) ?? "trial");
