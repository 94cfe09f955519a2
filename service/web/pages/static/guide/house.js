// The fifth step: the rulebook, what the house elects in it, limits, and how the call is known.

export function electing(guide) {
  const panel = guide.panel("house"), form = panel.querySelector("form");
  const options = panel.querySelector("[data-options]");

  const valueOf = (text) => JSON.parse(text);

  /** A field for each option of the rulebook, the default first. */
  function showOptions(elected = {}) {
    const book = guide.rulebooks.find((one) => one.id === form.elements.rulebook.value);
    options.replaceChildren(...book.options.map((option) => {
      const label = document.createElement("label"), choice = document.createElement("select");
      label.className = "block";
      const known = option.key in elected ? elected[option.key] : option.values[0];
      const offered = option.values.includes(known) ? option.values : [...option.values, known];
      choice.append(...offered.map((value) => new Option(value === true ? "yes" : value === false ? "no" : value === null ? "none" : String(value).replaceAll("_", " "), JSON.stringify(value), false, value === known)));
      choice.dataset.option = option.key;
      label.append(`${option.key.replaceAll("_", " ")}${option.rule ? ` (${option.rule})` : ""}: ${option.text}`, choice);
      if (!option.takes_amount) return label;
      const amount = Object.assign(document.createElement("input"), { type: "number", min: 0, placeholder: "or an amount", ariaLabel: `${option.key.replaceAll("_", " ")}, an amount` });
      amount.dataset.amount = option.key;
      label.append(amount);
      return label;
    }));
    panel.querySelector("[data-exclusions]").replaceChildren(...book.exclusions.map(item));
    panel.querySelector("[data-call]").replaceChildren(...guide.told.call.map(item));
  }

  const item = (text) => Object.assign(document.createElement("li"), { textContent: text });

  /** What differs from the rulebook's defaults. */
  function elected() {
    const book = guide.rulebooks.find((one) => one.id === form.elements.rulebook.value), found = {};
    for (const { key, values } of book.options) {
      const amount = options.querySelector(`[data-amount="${key}"]`)?.value, value = valueOf(options.querySelector(`[data-option="${key}"]`).value);
      if (amount) found[key] = Number(amount); else if (value !== values[0]) found[key] = value;
    }
    return found;
  }

  form.elements.rulebook.addEventListener("change", () => showOptions());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = form.elements, amount = (name) => (fields[name].value ? Number(fields[name].value) : null);
    const house = {
      rulebook: fields.rulebook.value,
      options: elected(),
      shoe: { decks: Number(fields.decks.value), device: fields.device.value },
      limits: { minimum: amount("minimum"), maximum: amount("maximum"), differential: amount("differential") },
      card_mm: fields.card.value.split(",").map(Number),
      gestures: fields.gesture.checked ? ["no_more_bets"] : [],
    };
    const answer = await guide.attempt(() => guide.send("house", { house }), event.submitter);
    if (!answer) return;
    guide.took(answer.draft);
    guide.next("house");
    guide.say(["The rules are kept."], answer.problems);
  });

  return {
    open() {
      const house = guide.told.house;
      if (house) {
        form.elements.rulebook.value = house.rulebook;
        for (const name of ["minimum", "maximum", "differential"]) form.elements[name].value = house.limits[name] ?? "";
        form.elements.decks.value = house.shoe.decks;
        form.elements.device.value = house.shoe.device;
        form.elements.gesture.checked = house.gestures.includes("no_more_bets");
        form.elements.card.value = house.card_mm.join();
      }
      showOptions(house?.options ?? {});
    },
  };
}
