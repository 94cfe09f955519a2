// The last step: a look at the finished table, and then it goes live.

export function trying(guide) {
  const panel = guide.panel("trial"), form = panel.querySelector("form"), live = form.querySelector(".strong");

  panel.querySelector("[data-do=trial]").addEventListener("click", async ({ target }) => {
    guide.say(["Looking through the camera ..."]);
    const trial = await guide.attempt(() => guide.send("trial", null, "POST"), target);
    if (!trial) return;
    guide.showPicture();
    guide.stage.clear();
    for (const area of trial.areas) guide.stage.outline(area.outline, { kind: area.kind, text: area.text });
    guide.say([...trial.words, trial.fit ? "Nothing is wrong: the table can go live." : "Something is wrong; open the step that it belongs to."], trial.problems);
    live.disabled = !trial.fit;
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const made = await guide.attempt(() => guide.send("finish", { why: form.elements.why.value || null }, "POST"), live);
    if (made) location.assign(`/settings/tables/${encodeURIComponent(made.table)}`);
  });

  return { open() { live.disabled = true; } };
}
