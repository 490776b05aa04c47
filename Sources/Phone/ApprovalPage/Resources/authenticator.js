// New tokens for the authenticator, from a picture of a QR code or from its text.

// The server reads PNG and JPEG. A telephone's photograph may be another kind, and is larger than a code needs.
async function smallPicture(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, 1600 / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function addToken(form, submitter) {
  const button = submitter || form.querySelector("button");
  button.disabled = true;
  try {
    const file = form.elements.picture.files[0];
    const uri = form.elements.uri.value.trim();
    if (!file && !uri) throw new Told("[[codes.choose]]");
    let picture = null;
    if (!uri) {
      say("[[codes.reading]]", form);
      try { picture = await smallPicture(file); } catch (error) { throw new Told("[[codes.unreadable]]"); }
    }
    const byPasskey = ["passkey", "both"].includes(button.value);
    if (byPasskey) say("[[script.waiting-passkey]]", form);
    const assertion = byPasskey ? await ask(await post("/authenticator/tokens/begin", {})) : null;
    const passphrase = button.value === "passkey" ? "" : form.elements.passphrase.value;
    const answer = await post("/authenticator/tokens", { uri, picture, assertion, passphrase });
    form.reset();
    await renew(true);
    say(answer.added.length ? "[[codes.added]] " + answer.added.join("; ") : "[[codes.known]]", form, "good");
  } catch (error) {
    say(reason(error, withoutPasskey("[[script.not-added]]")), form, "bad");
  }
  button.disabled = false;
}
