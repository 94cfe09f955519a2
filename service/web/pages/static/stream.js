// Hear what happens: through the hub that all pages of this browser share, or through one of this page alone.
import { Hub, isAfter, parsePlace } from "./hub.js";

function ownPort() {
  const { port1, port2 } = new MessageChannel();
  new Hub().join(port2);
  return port1;
}

/**
 * `session` tells one sign-in from another, `after` is the place at which the page was made, `state` gives whether the
 * page can sound and is looked at, `acts` has what is done by kind of message. Gives what sends to the hub.
 */
export function connect({ session, after, state, acts }) {
  const place = parsePlace(after);
  let port = null;

  function use(next) {
    port = next;
    port.onmessage = ({ data }) => {
      if (data.kind !== "event") return acts[data.kind]?.(data);
      if (!isAfter(data, place)) return undefined;
      if (data.number !== null) place[data.name] = data.number;
      return acts[data.name](data.data);
    };
    send({ kind: "hello", session, after: `${place.alert}-${place.change}`, ...state() });
  }
  const send = (message) => port.postMessage(message);

  if (typeof SharedWorker === "undefined") use(ownPort());
  else {
    const worker = new SharedWorker(new URL("./shared_hub.js", import.meta.url), { type: "module", name: "thirdcard" });
    worker.addEventListener("error", () => use(ownPort())); // it could not be loaded
    use(worker.port);
  }
  addEventListener("visibilitychange", () => send({ kind: "state", ...state() }));
  addEventListener("pagehide", () => send({ kind: "bye" }));
  return send;
}
