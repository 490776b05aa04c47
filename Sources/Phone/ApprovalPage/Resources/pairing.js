// Leaving the last page with a pairing's code ends the pairing. Each load of the page has a number, and a renewal brings none.
const pairingView = document.querySelector("form[data-leaving]")?.elements.view.value;

function leaving(form) {
  const body = new URLSearchParams(new FormData(form));
  body.set("view", pairingView || "");
  return body;
}

// A link waits until the end is sent: what a page sends while it goes away does not always arrive.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href]:not([href^='#'], [target], [download])");
  const form = document.querySelector("form[data-leaving]");
  if (!link || !form || !opensHere(event) || event.defaultPrevented) return;
  event.preventDefault();
  const options = { method: "POST", body: leaving(form), signal: AbortSignal.timeout(2000) };
  // The end of the stream of events tells it, too, a few seconds later.
  await fetch(form.dataset.leaving, options).catch(() => {});
  location.assign(link.href);
});

addEventListener("pagehide", () => {
  for (const form of document.querySelectorAll("form[data-leaving]")) {
    navigator.sendBeacon(form.dataset.leaving, leaving(form));
  }
});

// The forms of the devices open the vault, which takes a moment.
const deviceForms = "form[data-busy][action*='/devices']";

document.addEventListener("submit", (event) => {
  const form = event.target;
  // A passkey's call tells of itself.
  if (!form.matches(deviceForms) || event.submitter?.value === "both") return;
  // A button that is disabled at once would not be sent.
  setTimeout(() => setBusy(form, true));
});
