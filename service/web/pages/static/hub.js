// One stream of what happens for all pages of a browser, and one page that sounds for all of them. A browser opens six
// connections to a service: a stream for each page leaves none for the seventh.

const AGAIN_MS = 3000;
const ANSWER_MS = 800;
const MOST_KEPT = 300;
const LATEST_MS = 60_000; // after that a sound would startle about what the lists have long shown
const EVENTS = ["alert", "change", "evidence"];

/** A place in the stream: the last alert and the last change that somebody heard of. */
export function parsePlace(text) {
  const [alert, change] = text.split("-").map(Number);
  return { alert, change };
}

/** Whether an event is news to who stands at a place. */
export const isAfter = ({ name, number }, place) => number === null || number > place[name];

/** Speaks with pages through message ports; runs in a shared worker, or in a page where there is none. */
export class Hub {
  constructor() {
    this.pages = new Map(); // by port: whether it can sound, whether somebody looks at it, whether it answers late
    this.session = null;
    this.stream = null;
    this.from = null; // the place before the first event that is kept
    this.kept = [];
    this.isConnected = false;
    this.isHeard = null;
    this.rung = new Map(); // by what sounded: when
    this.asked = new Map(); // by number: a page that was asked to sound, what, and its timer
    this.unheard = new Set(); // sounds that no page could make: the next page that can makes them
    this.number = 0;
  }

  join(port) {
    const acts = { hello: this.hello, state: this.note, sound: this.sound, played: this.played, refused: this.refused, bye: this.leave };
    port.onmessage = ({ data }) => acts[data.kind]?.call(this, port, data);
  }

  /** A page begins to listen, from the place at which it was made. */
  hello(port, { session, after, isAudible, isShown }) {
    const place = parsePlace(after);
    if (session !== this.session) {
      this.end();
      this.session = session;
    }
    this.pages.set(port, { isAudible, isShown });
    if (!this.stream || place.alert < this.from.alert || place.change < this.from.change) this.begin(after);
    for (const event of this.kept) if (isAfter(event, place)) port.postMessage(event);
    if (this.isConnected) port.postMessage({ kind: "connected", isAgain: false });
    this.tellHeard(port);
    this.catchUp();
  }

  note(port, { isAudible, isShown }) {
    if (!this.pages.has(port)) return;
    this.pages.set(port, { isAudible, isShown });
    this.tellHeard();
    this.catchUp();
  }

  /** A page is gone, as in each navigation: what it was asked to sound and did not is asked of another. */
  leave(port) {
    this.pages.delete(port);
    this.tellHeard();
    for (const [number, asked] of this.asked) if (asked.port === port) this.refused(port, { number });
  }

  tell(message) { for (const port of this.pages.keys()) port.postMessage(message); }

  // The stream -------------------------------------------------------------------------------------------------------

  begin(after) {
    this.stream?.close();
    this.from = parsePlace(after);
    this.kept = [];
    this.listen(after, false);
  }

  listen(after, isAgain) {
    const stream = new EventSource(`/api/alerts/stream?after=${encodeURIComponent(after)}`);
    let place = after;
    this.stream = stream;
    stream.addEventListener("open", () => {
      this.isConnected = true;
      this.tell({ kind: "connected", isAgain });
      isAgain = true;
    });
    stream.addEventListener("error", () => {
      this.isConnected = false;
      this.tell({ kind: "offline" });
      if (stream.readyState === EventSource.CLOSED) this.askWhy(stream, place);
    });
    for (const name of EVENTS) stream.addEventListener(name, (event) => {
      if (event.lastEventId) place = event.lastEventId;
      this.keep(name, JSON.parse(event.data));
    });
  }

  keep(name, data) {
    const event = { kind: "event", name, number: name === "evidence" ? null : data.id, data };
    this.tell(event);
    if (event.number === null) return;
    this.kept.push(event);
    if (this.kept.length > MOST_KEPT) { const gone = this.kept.shift(); this.from[gone.name] = gone.number; }
  }

  /** The browser gave up: the session has ended, or the service is away and is asked again. */
  async askWhy(stream, place) {
    const answer = await fetch("/api/alerts?limit=1", { headers: { Accept: "application/json" } }).catch(() => null);
    if (stream !== this.stream) return;
    if (answer?.status === 401) this.end();
    else setTimeout(() => { if (stream === this.stream) this.listen(place, true); }, AGAIN_MS);
  }

  /** The session is over, or another has begun: its pages find out how they stand. */
  end() {
    this.tell({ kind: "ended" });
    this.pages.clear();
    this.stream?.close();
    this.stream = this.session = null;
    this.isConnected = false;
    this.isHeard = null;
    this.kept = [];
    for (const { timer } of this.asked.values()) clearTimeout(timer);
    this.asked.clear();
    this.unheard.clear();
  }

  // Sound ------------------------------------------------------------------------------------------------------------

  /** Something deserves a sound: it is heard once, however many pages say so. */
  sound(_port, { key, severity, apart_ms }) {
    const now = Date.now();
    if (now - (this.rung.get(key) ?? 0) < apart_ms) return;
    this.rung.delete(key);
    this.rung.set(key, now);
    if (this.rung.size > MOST_KEPT) this.rung.delete(this.rung.keys().next().value);
    this.play({ severity, at: now, tried: new Set() });
  }

  /**
   * Let one page sound: one that answers before others, of these one that is looked at; where it does not answer, the
   * next. On a busy machine all may answer late: they are asked all the same, or nothing would be heard any more.
   * Where no page can sound, as amid a navigation, the sound waits for one that can.
   */
  play(sound) {
    const able = [...this.pages].filter(([port, page]) => page.isAudible && !sound.tried.has(port));
    const prompt = able.filter(([, page]) => !page.isLate);
    const among = prompt.length ? prompt : able;
    const [port, page] = among.find(([, { isShown }]) => isShown) ?? among.at(-1) ?? [];
    if (!port) { this.unheard.add(sound); return; }
    const number = (this.number += 1);
    sound.tried.add(port);
    const timer = setTimeout(() => {
      page.isLate = true;
      this.tellHeard();
      this.play(sound);
    }, ANSWER_MS);
    this.asked.set(number, { port, sound, timer });
    port.postMessage({ kind: "play", number, severity: sound.severity });
  }

  /** A page has sounded; one that was late answers again. */
  played(port, { number }) {
    const asked = this.asked.get(number);
    if (asked) {
      clearTimeout(asked.timer);
      this.asked.delete(number);
      this.unheard.delete(asked.sound);
    }
    const page = this.pages.get(port);
    if (!page?.isLate) return;
    page.isLate = false;
    this.tellHeard();
  }

  /** A page could not sound after all. */
  refused(_port, { number }) {
    const asked = this.asked.get(number);
    if (!asked) return;
    clearTimeout(asked.timer);
    this.asked.delete(number);
    this.unheard.delete(asked.sound);
    this.play(asked.sound);
  }

  /** Sounds that no page could make, where one can now. */
  catchUp() {
    for (const sound of [...this.unheard]) {
      this.unheard.delete(sound);
      if (Date.now() - sound.at <= LATEST_MS) this.play(sound);
    }
  }

  /** Whether any page of this browser can sound, to all where that has changed; to one page in any case. */
  tellHeard(port) {
    const isHeard = [...this.pages.values()].some(({ isAudible, isLate }) => isAudible && !isLate);
    if (isHeard !== this.isHeard) this.tell({ kind: "heard", isHeard });
    else port?.postMessage({ kind: "heard", isHeard });
    this.isHeard = isHeard;
  }
}
