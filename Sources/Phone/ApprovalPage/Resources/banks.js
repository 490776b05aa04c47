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
