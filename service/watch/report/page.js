"use strict";
(() => {
  const root = document.documentElement;
  const themeButton = document.getElementById("theme");
  themeButton.addEventListener("click", () => {
    const isLight = root.dataset.theme === "light" ||
      (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: light)").matches);
    root.dataset.theme = isLight ? "dark" : "light";
  });

  const FRAME_S = Number(document.body.dataset.frame);
  const LEAD_S = 3;
  const SPEEDS = [0.25, 0.5, 1];
  const alerts = [...document.querySelectorAll(".alert")];
  const players = new Map();

  const urls = new Map();
  /** A clip that stands in the page, as something a video can play; made when it is first wanted. */
  const clipUrl = (id) => {
    if (!urls.has(id)) {
      const text = atob(document.getElementById(id).textContent.trim());
      const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
      urls.set(id, URL.createObjectURL(new Blob([bytes], { type: "video/mp4" })));
    }
    return urls.get(id);
  };

  class Player {
    constructor(article) {
      this.video = article.querySelector("video");
      this.fault_s = Number(article.dataset.fault);
      this.range = article.querySelector(".scrub input");
      this.faultMark = article.querySelector(".fault");
      this.output = article.querySelector("output");
      this.playButton = article.querySelector("[data-do=play]");
      this.stage = article.querySelector(".stage");
      this.markButton = article.querySelector("[data-do=mark]");
      this.frame_s = FRAME_S;
      this.connect(article);
    }

    connect(article) {
      const acts = { play: () => this.toggle(), back: () => this.step(-1), on: () => this.step(1), fault: () => this.toFault(), mark: () => this.mark(this.stage.classList.contains("bare")) };
      article.querySelectorAll("[data-do]").forEach((b) => b.addEventListener("click", () => acts[b.dataset.do]()));
      this.speedButtons = [...article.querySelectorAll("[data-speed]")];
      this.speedButtons.forEach((b) => b.addEventListener("click", () => this.setSpeed(Number(b.dataset.speed))));
      this.range.addEventListener("input", () => { this.mark(false); this.video.currentTime = (this.range.value / 1000) * this.length_s(); });
      this.stage.addEventListener("click", () => this.toggle());
      const still = article.querySelector(".marked");
      const shape = () => { if (still.naturalWidth) this.stage.style.aspectRatio = `${still.naturalWidth} / ${still.naturalHeight}`; };
      if (still) { still.addEventListener("load", shape); shape(); }
      this.video.addEventListener("loadedmetadata", () => {
        this.stage.style.aspectRatio = `${this.video.videoWidth} / ${this.video.videoHeight}`;
        this.video.currentTime = Math.max(0, this.fault_s - LEAD_S);
        this.show();
      });
      for (const name of ["timeupdate", "seeked", "play", "pause", "ended"]) this.video.addEventListener(name, () => this.show());
      if ("requestVideoFrameCallback" in this.video) this.measure(null);
    }

    load() {
      if (this.video.hasAttribute("src")) return;
      this.video.preload = "auto";
      this.video.src = this.video.dataset.file ?? clipUrl(this.video.dataset.clip);
    }

    length_s() { return Number.isFinite(this.video.duration) ? this.video.duration : 0; }

    measure(last) {
      this.video.requestVideoFrameCallback((_, frame) => {
        const gap = last === null ? 0 : frame.mediaTime - last;
        if (gap > 0.004 && gap < 0.2 && !this.video.paused) this.frame_s = gap;
        this.measure(frame.mediaTime);
      });
    }

    mark(isShown) {
      this.stage.classList.toggle("bare", !isShown);
      if (this.markButton) this.markButton.setAttribute("aria-pressed", String(isShown));
    }

    toggle() {
      this.load();
      this.mark(false);
      if (!this.video.paused) { this.video.pause(); return; }
      for (const other of players.values()) if (other !== this) other.video.pause();
      this.video.play();
    }

    step(direction) {
      this.mark(false);
      this.video.pause();
      this.video.currentTime = Math.min(this.length_s(), Math.max(0, this.video.currentTime + direction * this.frame_s));
    }

    toFault() { this.mark(false); this.video.pause(); this.video.currentTime = Math.min(this.fault_s, Math.max(0, this.length_s() - 0.05)); }

    setSpeed(speed) {
      this.video.playbackRate = speed;
      this.speedButtons.forEach((b) => b.setAttribute("aria-pressed", String(Number(b.dataset.speed) === speed)));
    }

    nextSpeed() { this.setSpeed(SPEEDS[(SPEEDS.indexOf(this.video.playbackRate) + 1) % SPEEDS.length]); }

    show() {
      const length_s = this.length_s();
      if (!length_s) return;
      this.range.value = String(Math.round((1000 * this.video.currentTime) / length_s));
      const share = Math.min(1, this.fault_s / length_s);
      this.faultMark.style.left = `calc(${(100 * share).toFixed(2)}% + ${(8 - 16 * share).toFixed(1)}px)`;
      const from_fault_s = this.video.currentTime - this.fault_s;
      this.output.textContent = `${from_fault_s < 0 ? "\u2212" : "+"}${Math.abs(from_fault_s).toFixed(2)} s from the fault`;
      this.playButton.textContent = this.video.paused ? "Play" : "Pause";
    }
  }

  for (const article of alerts) if (article.querySelector("video")) players.set(article, new Player(article));

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) players.get(entry.target).load();
  }, { rootMargin: "300px" });
  for (const article of players.keys()) near.observe(article);

  document.querySelectorAll(".blink").forEach((button) => button.addEventListener("click", () => {
    const isOn = button.parentElement.classList.toggle("blinking");
    button.setAttribute("aria-pressed", String(isOn));
  }));

  let current = -1;
  const nearest = () => {
    const held = alerts.findIndex((a) => a.contains(document.activeElement));
    if (held >= 0) return held;
    if (current >= 0) return current;
    return alerts.findIndex((a) => a.getBoundingClientRect().bottom > 100);
  };
  const go = (i) => {
    if (i < 0 || i >= alerts.length) return;
    current = i;
    alerts[i].focus({ preventScroll: true });
    alerts[i].scrollIntoView({ block: "start" });
  };
  const openTarget = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) target.open = true;
    const i = alerts.indexOf(target);
    if (i >= 0) { current = i; target.focus({ preventScroll: true }); }
  };
  addEventListener("hashchange", openTarget);
  openTarget();

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const kind = event.target.tagName;
    const key = event.key.toLowerCase();
    if (key === "j") return go(current < 0 && nearest() === 0 && !alerts[0].contains(document.activeElement) ? 0 : nearest() + 1);
    if (key === "k") return go(nearest() - 1);
    const player = players.get(alerts[nearest()]);
    if (!player || (event.key === " " && ["BUTTON", "SUMMARY", "A"].includes(kind))) return;
    const acts = { " ": () => player.toggle(), ",": () => player.step(-1), ".": () => player.step(1), f: () => player.toFault(), s: () => player.nextSpeed(), m: () => player.mark(player.stage.classList.contains("bare")) };
    if (acts[key]) { event.preventDefault(); acts[key](); }
  });
})();
