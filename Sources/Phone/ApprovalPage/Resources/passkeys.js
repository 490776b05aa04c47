const lostOnce = { Lost: "[[script.lost-once]]" };
const withoutPasskey = (unconfirmed) => ({ ...passkeyErrors(unconfirmed), ...lostOnce });

// Browsers give passkeys to secure pages only.
function needPasskeys() {
  if (!window.PublicKeyCredential || !navigator.credentials) throw new Told("[[script.no-passkeys]]");
}

async function ask(options) {
  needPasskeys();
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
  say("[[script.waiting-passkey]]", button);
  try {
    const path = button.dataset.passkey === "sign-in" ? "/sign-in/passkey"
      : button.dataset.passkey === "require-both" ? "/passkeys/both" : "/requests/" + button.dataset.id + "/approve/passkey";
    const script = button.dataset.script || "";
    const field = button.dataset.both && document.getElementById(button.dataset.both);
    const hold = button.dataset.hold && document.getElementById(button.dataset.hold);
    if ((field && !field.reportValidity()) || (hold && !hold.reportValidity())) {
      say("", button);
      button.disabled = false;
      return;
    }
    const answer = await ask(await post(path + "/begin", { script }));
    say("[[script.checking]]", button);
    await post(path, { assertion: answer, script, passphrase: field ? field.value : "", try_again: hold ? hold.value : "" });
    if (button.dataset.passkey === "approve") {
      button.disabled = false;
      say("[[script.approved]]", button, "good");
      await renew(true);
      return;
    }
    location.assign(base + (button.dataset.passkey === "require-both" ? "/passkeys" : button.dataset.back || "/"));
  } catch (error) {
    say(reason(error, withoutPasskey("[[script.not-changed]]")), button, "bad");
    button.disabled = false;
  }
}

// Lets the authenticator forget a new passkey that the person did not go on to use (WebAuthn level 3, section 5.1.10). One that was
// sent to the page is never signalled: the page may have taken it, whatever came back.
function forgetUnused(rpId, credentialId, error) {
  if (error.name !== "NotAllowedError") return;
  PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }).catch(() => {});
}

async function addPasskey(form, event) {
  const button = event.submitter || form.querySelector("button");
  button.disabled = true;
  try {
    needPasskeys();
    const byPasskey = event.submitter && event.submitter.value === "passkey";
    if (!byPasskey) say("[[script.checking]]", form);
    // Checked before the passkey is made: one that is refused afterwards stays in its authenticator.
    const options = await post("/passkeys/begin", byPasskey ? {} : {
      passphrase: form.elements.passphrase.value, code: form.elements.code.value,
    });
    let confirmation = null;
    if (byPasskey) {
      say("[[script.confirm-known]]", form);
      confirmation = await ask(options.confirmation);
    }
    say("[[script.make]]", form);
    const made = await navigator.credentials.create({ publicKey: {
      challenge: decode(options.challenge), rp: options.rp, timeout: options.timeout,
      user: { ...options.user, id: decode(options.user.id) }, pubKeyCredParams: options.pubKeyCredParams,
      authenticatorSelection: options.authenticatorSelection, attestation: options.attestation,
      excludeCredentials: options.excludeCredentials.map((one) => ({ type: one.type, id: decode(one.id) })),
      extensions: { prf: { eval: { first: decode(options.prfInput) } } },
    } });
    say("[[script.use-once]]", form);
    const id = encode(made.rawId);
    const proof = await ask({
      challenge: options.proofChallenge, rpId: options.rp.id, timeout: options.timeout,
      userVerification: "required", allowCredentials: [{ type: "public-key", id }], prf: { [id]: options.prfInput },
    }).catch((error) => {
      forgetUnused(options.rp.id, id, error);
      throw error;
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
    say(reason(error, { ...withoutPasskey("[[script.not-added]]"), InvalidStateError: "[[script.known-passkey]]" }), form,
      "bad");
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
    location.assign(base + "/passkeys?removed=" + encodeURIComponent(form.dataset.slot));
  } catch (error) {
    say(reason(error, withoutPasskey("[[script.not-removed]]")), form, "bad");
    button.disabled = false;
  }
}

// Shows the page with which the server ends, and after which it answers no more.
function showLast(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  document.title = page.title;
  document.body.replaceWith(page.body);
  document.getElementById("main").focus();
}

// Sends a form that opens the vault, such as a bank's credentials; the passphrase alone goes without a script, too.
async function openVault(form, button) {
  button.disabled = true;
  try {
    const answer = await ask(await post(form.dataset.path + "/begin", {}));
    const credentials = {};
    // A box that is not ticked is not among them.
    for (const [name, value] of new FormData(form)) {
      if (name.startsWith("credential-")) credentials[name.slice("credential-".length)] = value;
    }
    const passphrase = button.value === "both" ? form.elements.passphrase.value : "";
    const { last, changed, place } = await post(form.dataset.path + "/passkey", { assertion: answer, credentials, passphrase });
    if (last) { showLast(last); return; }
    // The browser's memory keeps what the fields hold, for its back button.
    form.reset();
    location.assign(base + (place || form.dataset.back || "/banks") + (changed ? "?changed=" + changed : ""));
  } catch (error) {
    say(reason(error, withoutPasskey("[[script.not-changed]]")), form, "bad");
    button.disabled = false;
  }
}
