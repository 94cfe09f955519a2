// The worker that all pages of a browser share.
import { Hub } from "./hub.js";

const hub = new Hub();
addEventListener("connect", ({ ports: [port] }) => hub.join(port));
