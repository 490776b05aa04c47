// The file of a bank's script is read into the field that also takes pasted text, and goes nowhere else.
async function readScript(field) {
  const file = field.files[0];
  const text = document.getElementById(field.dataset.into);
  if (!file || !text) return;
  try {
    if (!file.size) throw new Told("[[add.empty-file]]");
    if (file.size > Number(field.dataset.most)) throw new Told("[[add.too-large]]");
    const bytes = await file.arrayBuffer();
    try {
      text.value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) { throw new Told("[[add.not-text]]"); }
    say("", field.form);
  } catch (error) {
    text.value = "";
    say(reason(error), field.form, "bad");
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches("input[data-into]")) readScript(event.target);
});

// Sends a form without leaving the page, until what it asks for has begun: a mistyped passphrase costs nothing else that was typed.
async function sendOnce(form) {
  const body = new URLSearchParams(new FormData(form));
  const { passphrase } = form.elements;
  form.querySelector(".notice[role=alert]")?.remove();
  setBusy(form, true);
  try {
    const { response, page } = await fetchPage(form.action, { method: "POST", body, redirect: "manual" });
    if (response.type === "opaqueredirect") {
      // The browser's memory keeps what the fields hold, for its back button.
      form.reset();
      location.assign(base + form.dataset.back);
      return;
    }
    const error = page.querySelector("[data-error], main .notice[role=alert]");
    tellBelow(error ? error.textContent : "[[script.failed]]", passphrase);
  } catch (error) {
    tellBelow(reason(error, lostOnce), passphrase);
  }
  setBusy(form, false);
  passphrase.focus();
  passphrase.select();
}

// Says below a field what is wrong, where the person who has typed there looks.
function tellBelow(text, field) {
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  field.after(notice);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  // With a passkey the page's own script sends it.
  const passkey = event.submitter && ["passkey", "both"].includes(event.submitter.value);
  if (event.defaultPrevented || passkey || !form.matches("[data-once]")) return;
  event.preventDefault();
  sendOnce(form);
});
