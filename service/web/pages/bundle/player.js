// Show a case that was exported, and check it here: hashes, seals, the way to the signed root, the signature.

const RAW_KEY = 1; // the byte before an Ed25519 key: its signature type
const KEY_ID = 4; // bytes of a signature that name its key
const text = new TextEncoder();
const part = (id) => document.getElementById(id)?.textContent ?? null;
const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
const base64Of = (bytes) => btoa(String.fromCharCode(...bytes));
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOfHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const sha = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));

const results = { checked: 0, faults: [], unproven: [] };
const list = document.getElementById("results");

function say(state, words) {
  if (state === "fault") results.faults.push(words);
  else if (state === "unproven") results.unproven.push(words);
  else results.checked += 1;
  const line = document.createElement("li");
  line.className = state;
  line.textContent = words;
  list.append(line);
}

/** The leaf to which a chain's lines lead, as it is hashed. */
async function leafOf(chain) {
  let seal = chain.before;
  for (const [seq, at, body] of chain.lines) {
    seal = hexOf(await sha([seal, chain.chain, seq, at, body].join("\n")));
  }
  return text.encode(JSON.stringify([chain.chain, chain.lines.at(-1)[0], seal]));
}

/** The root to which a leaf's proof leads: RFC 9162, section 2.1.3.2. */
async function rootOf(chain, size) {
  let node = await sha(new Uint8Array([0]), await leafOf(chain));
  let beside = chain.leaf, last = size - 1;
  for (const other of chain.path.map(bytesOfHex)) {
    if (beside % 2 || beside === last) {
      node = await sha(new Uint8Array([1]), other, node);
      while (beside && beside % 2 === 0) [beside, last] = [Math.floor(beside / 2), Math.floor(last / 2)];
    } else {
      node = await sha(new Uint8Array([1]), node, other);
    }
    [beside, last] = [Math.floor(beside / 2), Math.floor(last / 2)];
  }
  return node;
}

async function isSigned(note, key) {
  const gap = note.indexOf("\n\n");
  const signed = text.encode(note.slice(0, gap + 1));
  for (const line of note.slice(gap + 2).trim().split("\n")) {
    const signature = bytesOf(line.split(" ")[2]).slice(KEY_ID);
    if (await crypto.subtle.verify("Ed25519", key, signature, signed)) return true;
  }
  return false;
}

async function checkChains(proof) {
  const key = await crypto.subtle.importKey("raw", bytesOf(proof.key.split("+").slice(2).join("+")).slice(RAW_KEY), "Ed25519", false, ["verify"]);
  for (const chain of proof.chains) {
    const note = proof.checkpoints[chain.checkpoint], [, size, root] = note.split("\n");
    const when = note.match(/^time (.*)$/m)?.[1];
    const what = `${chain.chain}, lines ${chain.lines[0][0]} to ${chain.lines.at(-1)[0]}`;
    if (!(await isSigned(note, key))) say("fault", `Checkpoint ${chain.checkpoint} is not signed by the key of this page.`);
    else if (base64Of(await rootOf(chain, Number(size))) !== root) say("fault", `${what}: were changed; they are not what was signed at ${when}.`);
    else say("good", `${what}: signed at ${when}.`);
  }
}

async function checkManifest(proof, manifest) {
  const digest = hexOf(await sha(manifest));
  const lines = proof.chains[0]?.lines ?? [];
  if (!lines.length) say("unproven", "Nothing says that this list of files was exported: it was not signed.");
  else if (lines.some(([, , body]) => JSON.parse(body).manifest === digest)) say("good", "The list of files is the one that was exported.");
  else say("fault", "The list of files (manifest.json) was changed after the export.");
}

/** Whether a file is as the list says, and since when it is proven. */
async function checkFile(file, bytes, proof) {
  if (hexOf(await sha(bytes)) !== file.sha256) return say("fault", `${file.name}: was changed after the export.`);
  if (file.as_kept === false) return say("fault", `${file.name}: was changed before the export; it no longer has the hash of the day it was kept.`);
  const kept = proof.chains.find((chain) => chain.lines.some(([, , body]) => JSON.parse(body).sha256 === file.sha256 && JSON.parse(body).evidence));
  const since = kept && proof.checkpoints[kept.checkpoint].match(/^time (.*)$/m)?.[1];
  return say("good", since ? `${file.name}: as it was kept; signed at ${since}.` : `${file.name}: as it was exported.`);
}

function conclude(proof) {
  const verdict = document.getElementById("verdict");
  const isProven = Boolean(proof.chains.length) && !results.unproven.length;
  document.body.dataset.verdict = results.faults.length ? "changed" : isProven ? "good" : "unproven";
  if (results.faults.length) verdict.textContent = `This case was changed: ${results.faults[0]}`;
  else if (isProven) verdict.textContent = "Every file is as it was exported, and it was signed. Compare the key below with the one that the house gave you.";
  else verdict.textContent = `No change was found, but not all is proven: ${results.unproven[0] ?? "the house signs nothing"}`;
}

function show(file, bytes, type) {
  const blob = URL.createObjectURL(new Blob([bytes], { type }));
  for (const place of document.querySelectorAll(`[data-file="${CSS.escape(file.name)}"]`)) {
    if (place.tagName === "svg") { place.dataset.overlay = blob; follow(place); } else place.src = blob;
  }
}

/** Draw what was read over the frames of a clip. */
function follow(drawing) {
  const video = drawing.parentElement.querySelector("video");
  const overlay = new Overlay(drawing, drawing.parentElement.parentElement.querySelector("[data-do=overlay]"));
  overlay.button?.addEventListener("click", () => overlay.toggle());
  const next = (_, frame) => { overlay.draw(frame.mediaTime); video.requestVideoFrameCallback(next); };
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(next);
  else video.addEventListener("timeupdate", () => overlay.draw(video.currentTime));
}

function askForFiles(missing, proof) {
  const picker = document.getElementById("picker");
  document.getElementById("more").hidden = !missing.size;
  picker.addEventListener("change", async () => {
    for (const chosen of picker.files) {
      const file = [...missing.values()].find((one) => one.name.endsWith(`/${chosen.name}`) || one.name === chosen.name);
      if (!file) continue;
      const bytes = await chosen.arrayBuffer();
      await checkFile(file, bytes, proof);
      show(file, bytes, chosen.type);
      missing.delete(file.name);
    }
    results.unproven = results.unproven.filter((words) => ![...words.matchAll(/^(\S+): is not in this page/g)].some(([, name]) => !missing.has(name)));
    conclude(proof);
  });
}

async function check() {
  const proof = JSON.parse(part("proof")), manifest = bytesOf(part("file-manifest.json"));
  document.getElementById("key").textContent = proof.key ?? "This house signs nothing.";
  if (!proof.chains.length) say("unproven", "Nothing is signed: this house had no signer when the case was exported.");
  for (const words of proof.left_out) say("unproven", words);
  await checkManifest(proof, manifest);
  if (proof.key) await checkChains(proof);
  const missing = new Map();
  for (const file of JSON.parse(new TextDecoder().decode(manifest)).files) {
    const here = document.getElementById(`file-${file.name}`);
    if (!here) { missing.set(file.name, file); say("unproven", `${file.name}: is not in this page; choose it below.`); continue; }
    const bytes = bytesOf(here.textContent);
    await checkFile(file, bytes, proof);
    show(file, bytes, here.dataset.type);
  }
  askForFiles(missing, proof);
  conclude(proof);
}

check().catch((error) => {
  say("fault", `${error.name === "NotSupportedError" ? "This browser cannot check Ed25519; use check.py" : "The check broke off, so something is not as it was written"}: ${error.message}`);
  conclude({ chains: [] });
});
