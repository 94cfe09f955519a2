// A tone for each severity, made here: no file is needed. Higher and oftener is more urgent.

const TONES = {
  critical: [[880, 0], [660, 0.16], [880, 0.32], [660, 0.48]],
  high: [[740, 0], [740, 0.2]],
  medium: [[587, 0], [494, 0.16]],
  low: [[440, 0]],
  info: [],
};
const LENGTH_S = 0.13;
// Made at once: a browser lets a page sound whose predecessor somebody touched, and some let a service sound always.
const audio = new AudioContext();

/** Ask to sound; done when that is granted. */
export const wake = () => audio.resume();

/** Other browsers let a page sound only after somebody touched it. */
for (const name of ["pointerdown", "keydown"]) addEventListener(name, wake, { passive: true, capture: true });

export const isAudible = () => audio.state === "running";

/** `act` is called when the page may sound from now on, or may not. */
export function onAudible(act) { audio.addEventListener("statechange", act); }

/** `act` is called once, now or when the page may sound: what `resume` promises may never come where it resumes already. */
export function whenAudible(act) {
  if (isAudible()) return act();
  const changed = () => {
    if (!isAudible()) return;
    audio.removeEventListener("statechange", changed);
    act();
  };
  audio.addEventListener("statechange", changed);
  wake();
}

export const isMuted = () => localStorage.getItem("muted") === "yes";

export function setMuted(isOff) { localStorage.setItem("muted", isOff ? "yes" : "no"); }

/** Sound here and now; whether that could be done, or is not wanted. */
export function play(severity) {
  if (isMuted()) return true;
  if (!isAudible()) return false;
  for (const [hertz, after_s] of TONES[severity] ?? []) {
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: hertz });
    const volume = new GainNode(audio, { gain: 0 });
    const start = audio.currentTime + after_s;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.22, start + 0.012);
    volume.gain.exponentialRampToValueAtTime(0.001, start + LENGTH_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + LENGTH_S);
  }
  document.dispatchEvent(new CustomEvent("room:sound", { detail: severity }));
  return true;
}
