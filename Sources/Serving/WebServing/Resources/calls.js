"use strict";
const base = document.body.dataset.base || "";
const csrf = document.body.dataset.csrf || "";
const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

// Each card or form has a status line. What happens in a form without one is said on the line of the card around it. An outcome,
// "good" or "bad", has its colour, and is brought into the window: the line may be below what was pressed.
const say = (text, near, outcome = "") => {
  const areas = ".card, form, article, main";
  let area = near && near.closest(areas);
  while (area && !area.querySelector(".status")) area = area.parentElement?.closest(areas);
  const place = (area || document).querySelector(".status");
  if (!place) return;
  place.textContent = text;
  place.dataset.outcome = outcome;
  if (outcome) place.scrollIntoView({ block: "nearest" });
};

// An error that says in the page's language what went wrong. The browser's own errors are in English, and for programmers.
class Told extends Error {}

// A call without an answer. Browsers throw a TypeError for it, as for a fault of this script: here the two are told apart.
class Lost extends Error { name = "Lost"; }

// Returns what a fetch promises.
const reached = (answer) => answer.catch(() => { throw new Lost(); });

// Returns what went wrong: of an error of the browser's the sentence for its name, if there is one.
const reason = (error, sentences = {}) =>
  error instanceof Told ? error.message : sentences[error.name] || "[[script.failed]]";

// Returns the sentences for the browser's own errors where a passkey is used (WebAuthn level 3, sections 5.1.3 and 5.1.4). The
// caller says what came of it where the person did not confirm.
const passkeyErrors = (unconfirmed) => ({
  NotAllowedError: unconfirmed, AbortError: unconfirmed,
  NotSupportedError: "[[script.no-passkeys]]", SecurityError: "[[script.no-passkeys]]",
});

// A proxy may answer in the page's place, and not in JSON.
async function post(path, body) {
  const response = await reached(fetch(base + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
  }));
  const { signIn } = document.body.dataset;
  if (response.status === 401 && csrf && signIn) location.assign(signIn);
  const answer = await response.json().catch(() => null);
  if (!answer) throw new Told("[[script.failed]]");
  if (!response.ok) throw new Told(answer.error_message || "[[script.failed]]");
  return answer;
}
