"use strict";
const base = document.body.dataset.base || "";
const csrf = document.body.dataset.csrf || "";
const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const say = (text) => { const place = document.getElementById("passkey-status"); if (place) place.textContent = text; };

async function post(path, body) {
  const response = await fetch(base + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error_message || "It did not work; try again.");
  return answer;
}

async function ask(options) {
  const inputs = {};
  for (const [id, input] of Object.entries(options.prf)) inputs[id] = { first: decode(input) };
  const credential = await navigator.credentials.get({ publicKey: {
    challenge: decode(options.challenge), rpId: options.rpId, timeout: options.timeout,
    userVerification: options.userVerification,
    allowCredentials: options.allowCredentials.map((one) => ({ type: one.type, id: decode(one.id) })),
    extensions: { prf: { evalByCredential: inputs } },
  } });
  const results = credential.getClientExtensionResults().prf;
  return {
    id: encode(credential.rawId), clientDataJSON: encode(credential.response.clientDataJSON),
    authenticatorData: encode(credential.response.authenticatorData),
    signature: encode(credential.response.signature),
    prf: results && results.results && results.results.first ? encode(results.results.first) : "",
  };
}

async function withPasskey(button) {
  button.disabled = true;
  say("Waiting for your passkey…");
  try {
    const path = button.dataset.passkey === "sign-in" ? "/sign-in/passkey"
      : button.dataset.passkey === "require-both" ? "/passkeys/both" : "/requests/" + button.dataset.id + "/approve/passkey";
    const script = button.dataset.script || "";
    const field = button.dataset.both && document.getElementById(button.dataset.both);
    const hold = button.dataset.hold && document.getElementById(button.dataset.hold);
    if ((field && !field.reportValidity()) || (hold && !hold.reportValidity())) { button.disabled = false; return; }
    const answer = await ask(await post(path + "/begin", { script }));
    say("Checking…");
    await post(path, { assertion: answer, script, passphrase: field ? field.value : "", try_again: hold ? hold.value : "" });
    location.assign(base + (button.dataset.passkey === "require-both" ? "/passkeys" : "/"));
  } catch (error) {
    say(error.name === "NotAllowedError" ? "You did not confirm; nothing has changed." : error.message);
    button.disabled = false;
  }
}

async function addPasskey(form, event) {
  const button = event.submitter || form.querySelector("button");
  button.disabled = true;
  try {
    const options = await post("/passkeys/begin", {});
    const byPasskey = event.submitter && event.submitter.value === "passkey";
    let confirmation = null;
    if (byPasskey) {
      say("Confirm with a passkey that you have…");
      confirmation = await ask(options.confirmation);
    }
    say("Make the passkey…");
    const made = await navigator.credentials.create({ publicKey: {
      challenge: decode(options.challenge), rp: options.rp, timeout: options.timeout,
      user: { ...options.user, id: decode(options.user.id) }, pubKeyCredParams: options.pubKeyCredParams,
      authenticatorSelection: options.authenticatorSelection, attestation: options.attestation,
      excludeCredentials: options.excludeCredentials.map((one) => ({ type: one.type, id: decode(one.id) })),
      extensions: { prf: { eval: { first: decode(options.prfInput) } } },
    } });
    say("Now use it once…");
    const id = encode(made.rawId);
    const proof = await ask({
      challenge: options.proofChallenge, rpId: options.rp.id, timeout: options.timeout,
      userVerification: "required", allowCredentials: [{ type: "public-key", id }], prf: { [id]: options.prfInput },
    });
    await post("/passkeys", {
      name: form.elements.name.value, proof, confirmation,
      passphrase: form.elements.passphrase.value, code: byPasskey ? "" : form.elements.code.value,
      registration: {
        clientDataJSON: encode(made.response.clientDataJSON),
        attestationObject: encode(made.response.attestationObject),
      },
    });
    location.assign(base + "/passkeys");
  } catch (error) {
    say(error.name === "NotAllowedError" ? "You did not confirm; nothing has been added." : error.message);
    button.disabled = false;
  }
}

async function removeSlot(form, event) {
  const button = event.submitter || form.querySelector("button");
  button.disabled = true;
  try {
    const path = "/passkeys/" + form.dataset.slot + "/remove";
    const byPasskey = event.submitter && event.submitter.value === "passkey";
    const confirmation = byPasskey ? await ask(await post(path + "/begin", {})) : null;
    await post(path, {
      confirmation, passphrase: form.elements.passphrase.value, code: byPasskey ? "" : form.elements.code.value,
    });
    location.assign(base + "/passkeys");
  } catch (error) {
    say(error.name === "NotAllowedError" ? "You did not confirm; nothing has been removed." : error.message);
    button.disabled = false;
  }
}

function count() {
  for (const place of document.querySelectorAll("[data-expires]")) {
    const left = Math.max(0, Math.floor((Number(place.dataset.expires) - Date.now()) / 1000));
    const text = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    if (place.textContent !== text) place.textContent = text;
  }
}

let isFetching = false;
let isStale = false;
async function renew() {
  // Do not replace a field that the person is typing into; the page catches up when they leave it.
  const main = document.getElementById("main");
  const typing = main.contains(document.activeElement) && document.activeElement.matches("input, select");
  const busy = main.querySelector("button:disabled");
  if (isFetching || typing || busy) { isStale = true; return; }
  isFetching = true;
  isStale = false;
  try {
    const response = await fetch(location.pathname, { headers: { Accept: "text/html", "X-Page-Renewal": "1" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const question = main.querySelector("[data-question]");
    main.replaceChildren(...page.getElementById("main").childNodes);
    const asked = main.querySelector("[data-question]");
    if (asked && (!question || question.dataset.question !== asked.dataset.question)) {
      const field = asked.querySelector("input:not([type=hidden])");
      if (field) field.focus();
    }
    count();
  } finally {
    isFetching = false;
    // Something changed while the page was being fetched.
    if (isStale) setTimeout(renew, 100);
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-passkey]");
  if (button) withPasskey(button);
});
document.addEventListener("submit", (event) => {
  if (event.target.matches(".remove-slot")) {
    event.preventDefault();
    removeSlot(event.target, event);
    return;
  }
  if (event.target.id !== "add-passkey") return;
  event.preventDefault();
  addPasskey(event.target, event);
});
document.addEventListener("focusout", () => { if (isStale) setTimeout(renew, 100); });
setInterval(count, 500);
count();
if (document.getElementById("main").hasAttribute("data-live")) {
  new EventSource(base + "/events").addEventListener("change", renew);
}

// The address from the terminal holds a code that works once. It leaves the address bar and goes to this page only.
function enter() {
  const door = document.getElementById("door");
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!door || !code) return;
  history.replaceState(null, "", "/");
  door.elements.code.value = code;
  door.submit();
}
addEventListener("hashchange", enter);
enter();
