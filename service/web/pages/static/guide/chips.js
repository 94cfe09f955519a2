// The fourth step: values and colours of the chips, picked in the picture or measured from a row.

const PICKED_PX = 5;

export function choosingChips(guide) {
  const panel = guide.panel("chips"), form = panel.querySelector("form"), rows = panel.querySelector("[data-chips]");
  let picking = null;

  function row({ value = "", name = "", colour = "#808080" }) {
    const line = document.createElement("tr");
    const cell = (element) => { const td = document.createElement("td"); td.append(...element); line.append(td); };
    const field = (key, type, text, label) => Object.assign(document.createElement("input"), { name: key, type, value: text, required: true, ariaLabel: label });
    const number = field("value", "number", value, "Value");
    number.min = 1;
    const pick = Object.assign(document.createElement("button"), { type: "button", textContent: "Pick", ariaLabel: "Pick the colour in the picture" });
    const gone = Object.assign(document.createElement("button"), { type: "button", textContent: "Delete", ariaLabel: "Delete this chip" });
    const tone = field("colour", "color", colour, "Colour");
    pick.addEventListener("click", () => { picking = tone; guide.say(["Click on this chip in the picture."]); });
    gone.addEventListener("click", () => line.remove());
    cell([number]); cell([field("name", "text", name, "Name")]); cell([tone]); cell([pick, " ", gone]);
    rows.append(line);
  }

  const hex = (rgb) => `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;

  /** The mean colour of a small square of the picture. */
  async function colourAt([x, y]) {
    const image = new Image();
    image.src = guide.stage.url;
    await image.decode();
    const side = 2 * PICKED_PX + 1, canvas = Object.assign(document.createElement("canvas"), { width: side, height: side }), pen = canvas.getContext("2d");
    pen.drawImage(image, x - PICKED_PX, y - PICKED_PX, side, side, 0, 0, side, side);
    const { data } = pen.getImageData(0, 0, side, side), sums = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) for (let k = 0; k < 3; k++) sums[k] += data[i + k];
    return hex(sums.map((sum) => sum / (side * side)));
  }

  const chips = () => [...rows.children].map((line) => {
    const of = (name) => line.querySelector(`[name=${name}]`).value;
    return { value: Number(of("value")), name: of("name"), colour: of("colour") };
  });

  async function settle(is_row, button) {
    const body = { diameter_mm: Number(form.elements.diameter.value), thickness_mm: Number(form.elements.thickness.value), chips: chips(), is_row };
    if (is_row) guide.say(["Measuring the row ..."]);
    const answer = await guide.attempt(() => guide.send("chips", body), button);
    if (!answer) return;
    guide.took(answer.draft);
    if (answer.problems.length) guide.say(["The chips are kept. Look at these:"], answer.problems);
    else guide.next("chips");
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); settle(false, event.submitter); });
  panel.querySelector("[data-do=chip]").addEventListener("click", () => row({}));
  panel.querySelector("[data-do=row]").addEventListener("click", ({ target }) => { if (form.reportValidity()) settle(true, target); });

  const deck = panel.querySelector("[data-deck]"), undeck = panel.querySelector("[data-do=undeck]");
  const showDeck = (say = null) => {
    deck.textContent = say ?? (guide.told.has_deck ? "The house's own cards are enrolled." : "");
    undeck.hidden = !guide.told.has_deck;
  };
  panel.querySelector("[data-do=deck]").addEventListener("click", async ({ target }) => {
    guide.say(["Reading the spread ..."]);
    const answer = await guide.attempt(() => guide.send("deck", { card_mm: guide.told.house?.card_mm ?? [63, 88] }, "POST"), target);
    if (!answer) return;
    guide.took(answer.draft);
    guide.say([]);
    showDeck(answer.say);
  });
  undeck.addEventListener("click", async ({ target }) => {
    if (!(await guide.attempt(() => guide.send("deck", null, "DELETE"), target))) return;
    guide.told.has_deck = false;
    showDeck("The enrolled cards are dropped.");
  });

  return {
    open() {
      showDeck();
      const known = guide.told.chip_set.length ? guide.told.chip_set : guide.chipSets.house;
      rows.replaceChildren();
      known.forEach(row);
      if (guide.told.chips === "enrolled") guide.say(["These were measured, with pictures of their faces. Keeping them by hand lets the pictures go."]);
      guide.stage.use({
        async point(at) {
          if (!picking) return;
          const tone = picking;
          picking = null;
          tone.value = await colourAt(at);
          guide.say([`Picked ${tone.value}.`]);
        },
      });
    },
  };
}
