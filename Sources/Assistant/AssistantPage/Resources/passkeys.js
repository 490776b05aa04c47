// Options come as JSON (WebAuthn level 3, section 5.1.8); answers go as JSON (section 5.1.6).
async function makePasskey(options) {
  const made = await navigator.credentials.create({ publicKey: {
    ...options, challenge: decode(options.challenge), user: { ...options.user, id: decode(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((one) => ({ ...one, id: decode(one.id) })),
  } });
  return {
    id: made.id, rawId: encode(made.rawId), type: made.type, clientExtensionResults: {},
    response: {
      clientDataJSON: encode(made.response.clientDataJSON), attestationObject: encode(made.response.attestationObject),
    },
  };
}

async function usePasskey(options) {
  const used = await navigator.credentials.get({ publicKey: {
    ...options, challenge: decode(options.challenge),
    allowCredentials: options.allowCredentials.map((one) => ({ ...one, id: decode(one.id) })),
  } });
  return {
    id: used.id, rawId: encode(used.rawId), type: used.type, clientExtensionResults: {},
    response: {
      clientDataJSON: encode(used.response.clientDataJSON),
      authenticatorData: encode(used.response.authenticatorData), signature: encode(used.response.signature),
      userHandle: used.response.userHandle ? encode(used.response.userHandle) : null,
    },
  };
}

async function withPasskey(form) {
  const button = form.querySelector("button");
  if (!window.PublicKeyCredential) { say("[[script.no-passkeys]]", form); return; }
  button.disabled = true;
  say("[[script.waiting-passkey]]", form);
  try {
    const isNew = form.dataset.ceremony === "register";
    const wanted = { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
    if (form.elements.invite_code) wanted.invite_code = form.elements.invite_code.value.trim();
    const path = "/sign-in/" + form.dataset.ceremony;
    const { challenge_id, public_key } = await post(path + "/start", wanted);
    const credential = await (isNew ? makePasskey(public_key) : usePasskey(public_key));
    say("[[script.checking]]", form);
    const { next } = await post(path + "/finish", {
      challenge_id, credential, invite_code: wanted.invite_code, back: form.dataset.back,
    });
    location.assign(next);
  } catch (error) {
    say(reason(error, passkeyErrors("[[script.not-confirmed]]")), form);
    button.disabled = false;
  }
}
