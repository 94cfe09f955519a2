// The first step: find the camera, look through it, keep it.
import { send } from "../api.js";

const LIVE_GAP_MS = 400;
const CLOCK_OFF_S = 2;

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
      button.addEventListener("click", () => streamsOf(camera, button, item));
      item.append(button);
      return item;
    }));
  });

  /** Ask one that answered for its streams, largest first; a click takes one. */
  async function streamsOf(camera, button, item) {
    const { user, password } = Object.fromEntries(new FormData(form));
    if (!camera.service || !user) {
      form.elements.source.value = `rtsp://${camera.address}/`;
      guide.say([camera.service ? "Give user and password, and click the camera again to see its streams." : "It does not list its streams: add the path of its stream, as its manual gives it."]);
      (camera.service ? form.elements.user : form.elements.source).focus();
      return;
    }
    guide.say(["Asking the camera ..."]);
    const answer = await guide.attempt(() => send("/api/new-tables/streams", { service: camera.service, user, password }), button);
    if (!answer) return;
    const off = Math.abs(answer.clock_off_s ?? 0) > CLOCK_OFF_S ? [`Its clock is ${answer.clock_off_s.toFixed(0)} s off; set NTP in the camera.`] : [];
    guide.say([`${answer.streams.length} streams; choose one.`, ...off]);
    const list = document.createElement("ul");
    list.append(...answer.streams.map((stream) => {
      const line = document.createElement("li"), choice = document.createElement("button");
      choice.type = "button";
      choice.textContent = [stream.name, stream.codec, stream.size_px?.join(" x "), stream.rate_hz && `${stream.rate_hz} pictures a second`].filter(Boolean).join(", ");
      choice.addEventListener("click", () => { form.elements.source.value = stream.address; form.querySelector(".strong").focus(); });
      line.append(choice);
      return line;
    }));
    item.querySelector("ul")?.remove();
    item.append(list);
  }

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
