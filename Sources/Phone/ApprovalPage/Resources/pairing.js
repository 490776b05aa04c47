// Leaving the page with a pairing's code ends the pairing. The server knows by the page's number whether this one was only loaded again.
addEventListener("pagehide", () => {
  for (const form of document.querySelectorAll("form[data-leaving]")) {
    navigator.sendBeacon(form.dataset.leaving, new URLSearchParams(new FormData(form)));
  }
});
