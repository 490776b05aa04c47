// Leaving the last page with a pairing's code ends the pairing. Each load of the page has a number, and a renewal brings none.
const pairingView = document.querySelector("form[data-leaving]")?.elements.view.value;

addEventListener("pagehide", () => {
  for (const form of document.querySelectorAll("form[data-leaving]")) {
    const body = new URLSearchParams(new FormData(form));
    body.set("view", pairingView || "");
    navigator.sendBeacon(form.dataset.leaving, body);
  }
});
