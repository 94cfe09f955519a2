// The first step: find the camera, look through it, keep it.
import { send } from "../api.js";

const LIVE_GAP_MS = 400;

export function looking(guide) {
  const panel = guide.panel("camera"), form = panel.querySelector("form"), found = panel.querySelector("[data-found]");
  const live = panel.querySelector("[data-do=live]");
  let is_live = false;

  function took({ draft, problems, words }) {
    guide.took(draft);
    guide.showPicture();
    guide.say(words, problems);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { source, user, password, transport } = Object.fromEntries(new FormData(form));
    guide.say(["Looking through the camera ..."]);
    const answer = await guide.attempt(() => guide.send("camera", { source, user, password, transport }), form.querySelector(".strong"));
    if (answer) took(answer);
  });

  panel.querySelector("[data-do=discover]").addEventListener("click", async ({ target }) => {
    guide.say(["Asking the network ..."]);
    const answer = await guide.attempt(() => send("/api/new-tables/cameras", null), target);
    if (!answer) return;
    const cameras = answer.items;
    guide.say([cameras.length ? `${cameras.length} answered.` : "No camera answered. Is this machine in the cameras' network, and is ONVIF turned on in them?"]);
    found.replaceChildren(...cameras.map((camera) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = [camera.address, camera.name, camera.model, camera.location].filter(Boolean).join("  ");
      button.addEventListener("click", () => { form.elements.source.value = `rtsp://${camera.address}/`; form.elements.source.focus(); });
      item.append(button);
      return item;
    }));
  });

  const again = async () => {
    const answer = await guide.attempt(() => guide.send("look", null, "POST"));
    if (answer) took(answer);
    return answer !== null;
  };
  panel.querySelector("[data-do=again]").addEventListener("click", again);

  async function keepLooking() {
    while (is_live && (await again())) await new Promise((done) => { setTimeout(done, LIVE_GAP_MS); });
    set(false);
  }
  const set = (is) => { is_live = is; live.setAttribute("aria-pressed", String(is)); };
  live.addEventListener("click", () => {
    set(!is_live);
    if (is_live) keepLooking();
  });

  return {
    open() { if (guide.told.camera && !form.elements.source.value) form.elements.source.value = guide.told.camera; },
    leave() { set(false); },
  };
}
