// Play an alert's clip in place: slow, frame by frame, with or without what was read drawn over it, or the stills.
import { send } from "./api.js";
import { Overlay } from "./overlay.js";

const LEAD_S = 3;
const SPEEDS = [1, 0.5, 0.25];
const USUAL_FRAME_S = 0.04;
const COPY_LOOK_MS = 1500;

export class Player {
  constructor(element) {
    this.element = element;
    this.fault_s = Number(element.dataset.fault);
    this.video = element.querySelector("video");
    this.stage = element.querySelector(".stage");
    this.range = element.querySelector(".scrub input");
    this.output = element.querySelector("output");
    this.frame_s = USUAL_FRAME_S;
    this.views = [...element.querySelectorAll("[data-view]")];
    for (const button of this.views) button.addEventListener("click", () => this.show(button.dataset.view));
    const drawing = element.querySelector("[data-overlay]");
    this.overlay = drawing && this.video ? new Overlay(drawing, element.querySelector("[data-do=overlay]")) : null;
    this.word = element.dataset.faultWord ?? "the fault";
    this.sources = [...element.querySelectorAll("[data-src]")];
    for (const button of this.sources) button.addEventListener("click", () => this.choose(button));
    element.querySelector("[data-copy]")?.addEventListener("click", (event) => this.copy(event.target));
    if (this.video) this.connect();
  }

  connect() {
    const acts = { play: () => this.toggle(), back: () => this.step(-1), on: () => this.step(1), fault: () => this.toFault(), overlay: () => this.toggleOverlay() };
    for (const button of this.element.querySelectorAll("[data-do]")) button.addEventListener("click", () => acts[button.dataset.do]());
    this.speeds = [...this.element.querySelectorAll("[data-speed]")];
    for (const button of this.speeds) button.addEventListener("click", () => this.setSpeed(Number(button.dataset.speed)));
    this.stage.addEventListener("click", () => this.toggle());
    this.range.addEventListener("input", () => { this.show("clip"); this.video.currentTime = (this.range.value / 1000) * this.length_s(); });
    this.video.addEventListener("loadedmetadata", () => this.begin());
    for (const name of ["timeupdate", "seeked", "play", "pause", "ended"]) this.video.addEventListener(name, () => this.tell());
    this.video.addEventListener("error", () => this.tellUnplayed());
    this.video.addEventListener("seeked", () => this.overlay?.draw(this.video.currentTime));
    if ("requestVideoFrameCallback" in this.video) this.measure(null);
    if (this.video.readyState >= HTMLMediaElement.HAVE_METADATA) this.begin(); // it may be here before this script
    if (this.video.error) this.tellUnplayed();
  }

  measure(last) {
    this.video.requestVideoFrameCallback((_, frame) => {
      this.overlay?.draw(frame.mediaTime);
      const gap = last === null ? 0 : frame.mediaTime - last;
      if (gap > 0.004 && gap < 0.2 && !this.video.paused) this.frame_s = gap;
      this.measure(frame.mediaTime);
    });
  }

  begin() {
    this.stage.style.aspectRatio = `${this.video.videoWidth} / ${this.video.videoHeight}`;
    this.video.currentTime = Math.max(0, this.fault_s - LEAD_S);
    this.tell();
  }

  /** The browser cannot show the clip: its codec, or a fault of the file. */
  tellUnplayed() {
    this.overlay?.clear();
    this.element.querySelector("[data-unplayed]").hidden = false;
  }

  /** Have a copy made of what cannot be played here, wait for it, and play it. */
  async copy(button) {
    const path = new URL(this.video.currentSrc, location.href).pathname, kind = path.split("/").pop();
    const told = this.element.querySelector("[data-copying]");
    button.disabled = true;
    try {
      const { url } = await send(button.dataset.copy, { kind });
      told.textContent = "The copy is being made.";
      for (;;) {
        const answer = await fetch(url, { headers: { Range: "bytes=0-0" } });
        if (answer.status === 206 || answer.status === 200) {
          told.textContent = "";
          const original = this.sources.find((one) => one.dataset.src === path);
          this.play({ src: url, fault_s: Number(original?.dataset.fault ?? this.fault_s), isDrawn: kind === "clip" });
          return;
        }
        if (answer.status !== 202) throw new Error((await answer.json()).error.message);
        await new Promise((done) => setTimeout(done, COPY_LOOK_MS));
      }
    } catch (error) {
      told.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  /** Play another file of the same moment; what was read is drawn over the first clip alone. */
  choose(button) {
    for (const one of this.sources) one.setAttribute("aria-pressed", String(one === button));
    this.play({ src: button.dataset.src, fault_s: Number(button.dataset.fault), isDrawn: "isDrawn" in button.dataset });
  }

  play({ src, fault_s, isDrawn }) {
    this.show("clip");
    this.fault_s = fault_s;
    this.element.querySelector("[data-unplayed]").hidden = true;
    this.overlay?.allow(isDrawn);
    this.video.src = src;
    const download = this.element.querySelector("[data-download]");
    download.href = src;
    download.download = src.startsWith("/api/alerts/") ? src.replace(/^\/api\/alerts\/(\d+)\/(.*)$/, "alert-$1-$2.mp4") : "recording.mp4";
  }

  length_s() { return Number.isFinite(this.video.duration) ? this.video.duration : 0; }

  show(view) {
    if (!this.views.some((button) => button.dataset.view === view)) return;
    this.stage.dataset.shown = view;
    for (const button of this.views) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    if (view !== "clip") this.video?.pause();
  }

  nextView() {
    const shown = this.views.findIndex((button) => button.dataset.view === this.stage.dataset.shown);
    if (this.views.length) this.show(this.views[(shown + 1) % this.views.length].dataset.view);
  }

  toggle() {
    if (!this.video) return;
    this.show("clip");
    if (this.video.paused) this.video.play().catch(() => {}); else this.video.pause();
  }

  toggleOverlay() { this.overlay?.toggle(); }

  step(direction) {
    if (!this.video) return;
    this.show("clip");
    this.video.pause();
    this.video.currentTime = Math.min(this.length_s(), Math.max(0, this.video.currentTime + direction * this.frame_s));
  }

  toFault() {
    if (!this.video) return;
    this.show("clip");
    this.video.pause();
    this.video.currentTime = Math.min(this.fault_s, Math.max(0, this.length_s() - 0.05));
  }

  setSpeed(speed) {
    this.video.playbackRate = speed;
    for (const button of this.speeds) button.setAttribute("aria-pressed", String(Number(button.dataset.speed) === speed));
  }

  nextSpeed() { if (this.video) this.setSpeed(SPEEDS[(SPEEDS.indexOf(this.video.playbackRate) + 1) % SPEEDS.length]); }

  tell() {
    const length_s = this.length_s();
    if (!length_s) return;
    this.range.value = String(Math.round((1000 * this.video.currentTime) / length_s));
    const from_fault_s = this.video.currentTime - this.fault_s;
    this.output.textContent = `${from_fault_s < 0 ? "\u2212" : "+"}${Math.abs(from_fault_s).toFixed(2)} s from ${this.word}`;
    this.element.querySelector("[data-do=play]").textContent = this.video.paused ? "Play" : "Pause";
  }
}
