// The file of a bank's script is read into the field that also takes pasted text, and goes nowhere else.
async function readScript(field) {
  const file = field.files[0];
  const text = document.getElementById(field.dataset.into);
  if (!file || !text) return;
  try {
    if (file.size > Number(field.dataset.most)) throw new Told("[[add.too-large]]");
    const bytes = await file.arrayBuffer();
    try {
      text.value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) { throw new Told("[[add.not-text]]"); }
    say("", field.form);
  } catch (error) {
    text.value = "";
    say(reason(error), field.form);
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches("input[data-into]")) readScript(event.target);
});

// The vault takes its time to open. A second click would send the form once more.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("[data-once]")) return;
  say(form.dataset.busy || "", form);
  // A button that is disabled at once would keep some browsers from sending the form.
  setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
});

// A page that comes back from the browser's memory is as it was left.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[data-once]")) {
    say("", form);
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  }
});
