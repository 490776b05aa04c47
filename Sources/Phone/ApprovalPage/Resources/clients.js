// Allows a program elsewhere with a passkey; the passphrase alone goes without a script, too.
async function allowClient(form, button) {
  if (!form.reportValidity()) return;
  button.disabled = true;
  say("[[script.waiting-passkey]]", form);
  try {
    const fields = Object.fromEntries(new FormData(form));
    const passphrase = button.value === "both" ? fields.passphrase : "";
    delete fields.csrf;
    delete fields.passphrase;
    const assertion = await ask(await post(form.dataset.path + "/begin", {}));
    say("[[script.checking]]", form);
    const { changed } = await post(form.dataset.path + "/passkey", { assertion, passphrase, fields });
    location.assign(base + "/clients?changed=" + encodeURIComponent(changed));
  } catch (error) {
    say(reason(error, withoutPasskey("[[script.not-allowed]]")), form, "bad");
    button.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(".client-form") || !event.submitter || !["passkey", "both"].includes(event.submitter.value)) return;
  event.preventDefault();
  allowClient(form, event.submitter);
});
