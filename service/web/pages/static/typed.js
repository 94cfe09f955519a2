// Keep what was typed over a sign-in: it comes back on the same page, in the same tab, for the same person.

const PREFIX = "typed ";
const who = document.body.dataset.who ?? "";
const here = () => PREFIX + location.pathname + location.search;
const NOT_KEPT = new Set(["password", "hidden", "submit", "button", "file"]);

/** What tells a form from the others of a page. */
function nameOf(form) {
  const alike = [...document.forms].filter((other) => other.dataset.api === form.dataset.api && !other.closest("dialog"));
  return form.closest("dialog")?.id ?? `${form.id || form.dataset.api || form.action} ${alike.indexOf(form)}`;
}

const isChosen = (field) => ["radio", "checkbox"].includes(field.type);
function isTyped(field) {
  if (!field.name || NOT_KEPT.has(field.type) || field.matches("fieldset, output, button")) return false;
  if (isChosen(field)) return field.checked !== field.defaultChecked;
  if (field.matches("select")) return [...field.options].some((option) => option.selected !== option.defaultSelected);
  return field.value !== field.defaultValue;
}

/** Note what stands in the fields of this page, and which dialog somebody is in. */
export function keepTyped() {
  const forms = {};
  for (const form of document.forms) {
    if (form.method === "get" && !form.dataset.api) continue; // filters stand in the address
    const fields = [...form.elements].filter(isTyped).map((field) => ({ name: field.name, value: field.value, is: isChosen(field) ? field.checked : null }));
    if (fields.length) forms[nameOf(form)] = fields;
  }
  const dialog = document.querySelector("dialog[open], dialog[data-sending]");
  const asked = dialog && { id: dialog.id, data: { ...dialog.dataset } };
  if (Object.keys(forms).length || asked) sessionStorage.setItem(here(), JSON.stringify({ who, forms, asked }));
}

/** Put fields back into a form. */
export function fill(form, fields = []) {
  for (const { name, value, is } of fields) {
    for (const field of form.elements) {
      if (field.name !== name || (is !== null && field.value !== value)) continue;
      if (is === null) field.value = value; else field.checked = is;
    }
  }
}

/** What was kept of this page; the forms outside dialogs have theirs already. Null where there is nothing. */
export function takeTyped() {
  const text = sessionStorage.getItem(here());
  if (text === null) return null;
  sessionStorage.removeItem(here());
  const kept = JSON.parse(text);
  if (kept.who !== who) return null;
  for (const form of document.forms) if (!form.closest("dialog")) fill(form, kept.forms[nameOf(form)]);
  return kept;
}
