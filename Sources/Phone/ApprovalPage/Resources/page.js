// A denial waits for five seconds, in which it can be undone. Leaving the page does not keep the request open.
const undoable = 5;
const denials = new Map();

function deny(form) {
  const card = form.closest(".card");
  const undo = card.querySelector(".undo");
  let left = undoable;
  card.setAttribute("data-denying", "");
  form.hidden = true;
  undo.hidden = false;
  undo.querySelector("button").focus();
  undo.querySelector(".seconds").textContent = String(left);
  const timer = setInterval(() => {
    left -= 1;
    undo.querySelector(".seconds").textContent = String(left);
    if (left <= 0) sendDenial(card);
  }, 1000);
  denials.set(card, { form, timer });
}

function undoDenial(card) {
  const { form, timer } = denials.get(card);
  clearInterval(timer);
  denials.delete(card);
  card.removeAttribute("data-denying");
  card.querySelector(".undo").hidden = true;
  form.hidden = false;
  form.querySelector("button").focus();
}

async function sendDenial(card) {
  const denial = denials.get(card);
  if (!denial) return;
  clearInterval(denial.timer);
  denials.delete(card);
  try {
    const body = new URLSearchParams(new FormData(denial.form));
    await fetch(denial.form.action, { method: "POST", body });
  } finally {
    card.removeAttribute("data-denying");
    await renew(true);
  }
}

// Sends a form without leaving the page, so that a mistake is told where it was made.
async function sendInline(form, submitter) {
  const button = submitter || form.querySelector("button");
  const body = new URLSearchParams(new FormData(form, submitter));
  button.disabled = true;
  form.setAttribute("data-sending", "");
  say(form.dataset.busy || "", form);
  try {
    const { response, page } = await fetchPage(form.action, { method: "POST", body });
    const error = page.querySelector("[data-error]");
    if (!response.ok) say(error ? error.textContent : "[[script.failed]]", form, "bad");
    else { say("", form); form.reset(); }
  } catch (error) {
    say(reason(error, lostOnce), form, "bad");
  }
  form.removeAttribute("data-sending");
  button.disabled = false;
  await renew(true);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.passkey) withPasskey(button);
  if (button.matches(".undo-denial")) undoDenial(button.closest(".card"));
  if (button.id === "push-on") startPush(button);
  if (button.id === "push-off") stopPush(button);
  if (button.id === "retry") history.length > 1 ? history.back() : location.assign("/");
  // A passkey stands in for the passphrase, which the form else demands.
  if (button.dataset.without) document.getElementById(button.dataset.without)?.removeAttribute("required");
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  const passkey = event.submitter && ["passkey", "both"].includes(event.submitter.value);
  if (form.matches(".remove-slot")) {
    event.preventDefault();
    removeSlot(form, event);
  } else if (form.id === "add-passkey") {
    event.preventDefault();
    addPasskey(form, event);
  } else if (form.id === "add-token") {
    event.preventDefault();
    addToken(form, event.submitter);
  } else if (form.matches(".vault-form") && passkey) {
    event.preventDefault();
    openVault(form, event.submitter);
  } else if (form.matches(".denial")) {
    event.preventDefault();
    deny(form);
  } else if (form.matches("[data-inline]")) {
    event.preventDefault();
    sendInline(form, event.submitter);
  }
});

// A bank that is chosen and not shown yet is not the one that the form below asks.
document.addEventListener("change", (event) => {
  if (event.target.id !== "ask-bank") return;
  const form = document.querySelector("form[data-bank]");
  if (!form) return;
  const isShown = form.dataset.bank === event.target.value;
  form.querySelector("button.main").disabled = !isShown;
  event.target.form.querySelector("button").classList.toggle("main", !isShown);
});

// Banks and messages print codes in groups; the field takes them as they are pasted.
document.addEventListener("paste", (event) => {
  if (!event.target.matches("input.code")) return;
  const text = event.clipboardData.getData("text");
  if (!/^[\s\d-]+$/.test(text)) return;
  event.preventDefault();
  event.target.setRangeText(text.replace(/[\s-]/g, ""), event.target.selectionStart, event.target.selectionEnd, "end");
});

// True for a click that opens a link in this window.
const opensHere = (event) => !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

// A form that opens the vault is sent once: a second click would only open it once more.
function setBusy(form, isBusy) {
  say(isBusy ? form.dataset.busy || "" : "", form);
  for (const button of form.querySelectorAll("button")) button.disabled = isBusy;
}

// On the way back a browser may show a page that it has kept, as it was left.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll(`form[data-once], ${deviceForms}`)) setBusy(form, false);
});

// A link waits until denials are sent: what a page sends while it goes away does not always arrive.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href]");
  if (!link || !denials.size || !opensHere(event)) return;
  event.preventDefault();
  await Promise.allSettled([...denials.keys()].map(sendDenial));
  location.assign(link.href);
});

// Closing the page does not undo a denial.
addEventListener("pagehide", () => {
  for (const [card, { form, timer }] of denials) {
    clearInterval(timer);
    navigator.sendBeacon(form.action, new URLSearchParams(new FormData(form)));
    card.removeAttribute("data-denying");
  }
  denials.clear();
});

// A notification and a link lead to a card or a bank, or to the form for its credentials.
function showTarget() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const details = target.closest("details[id^=c-]") || target.querySelector("details[data-missing]");
  if (details) details.open = true;
  target.scrollIntoView();
}

// The address from the terminal holds a code that works once. It leaves the address bar and goes to this page only.
function enter() {
  const door = document.getElementById("door");
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!door || !code) { showTarget(); return; }
  history.replaceState(null, "", "/");
  door.elements.code.value = code;
  door.submit();
}
addEventListener("hashchange", enter);
enter();
