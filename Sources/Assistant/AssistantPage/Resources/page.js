// Times come in UTC, and are shown in the browser's own zone.
function localise(root) {
  const day = (date) => date.toLocaleDateString("[[locale]]", { day: "numeric", month: "short", year: "numeric" });
  const today = day(new Date());
  for (const place of root.querySelectorAll("time[datetime]")) {
    const date = new Date(place.getAttribute("datetime"));
    if (isNaN(date)) continue;
    const clock = date.toLocaleTimeString("[[locale]]", { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
    place.textContent = day(date) === today ? "[[script.today]]".replace("{{clock}}", clock) : day(date) + ", " + clock;
  }
}

async function connect(button) {
  button.disabled = true;
  say("[[script.opening-google]]", button);
  try {
    location.assign((await post("/connections/google/start", {})).auth_url);
  } catch (error) {
    say(reason(error), button);
    button.disabled = false;
  }
}

function offerZones() {
  const field = document.getElementById("zone");
  if (!field) return;
  const list = document.getElementById("zones");
  const names = Intl.supportedValuesOf ? Intl.supportedValuesOf("timeZone") : [];
  for (const name of names) list.append(new Option(name, name));
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!own || own === field.value) return;
  const hint = document.getElementById("zone-hint");
  const use = document.createElement("button");
  use.type = "button";
  use.textContent = "[[script.use-zone]]".replace("{{zone}}", own);
  use.addEventListener("click", () => { field.value = own; hint.hidden = true; field.focus(); });
  hint.append("[[script.zone]]".replace("{{zone}}", own), use);
  hint.hidden = false;
}

// The assistant gives a brief once, so it is fetched by a script, and not by a browser that loads pages in advance.
async function openBrief() {
  // The settings have a field of this name.
  const place = document.querySelector("#brief[data-id]");
  if (!place) return;
  try {
    const { html } = await post("/briefs/" + place.dataset.id + "/open", {});
    const page = new DOMParser().parseFromString(html, "text/html");
    place.replaceChildren(...page.body.childNodes);
  } catch (error) {
    say(reason(error), place);
  }
  place.removeAttribute("aria-busy");
}

// The request's number opens its state, without a session.
async function followDeletion() {
  const card = document.getElementById("deletion");
  if (!card) return;
  const words = {
    QUEUED: "[[deletion.under-way]]", RUNNING: "[[deletion.under-way]]",
    DONE: "[[script.deleted]]",
    FAILED: "[[script.google-silent]]",
  };
  for (;;) {
    const response = await fetch("/v1/privacy/requests/" + card.dataset.id).catch(() => null);
    const status = response && response.ok ? (await response.json()).status : null;
    if (response && response.status === 404) { say("[[script.no-deletion]]", card); return; }
    if (words[status] && card.querySelector(".status").textContent !== words[status]) say(words[status], card);
    if (status === "DONE" || status === "FAILED") { card.querySelector(".later").remove(); return; }
    await new Promise((wake) => setTimeout(wake, 1000));
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches(".connect")) connect(button);
  if (button.id === "push-on") startPush(button);
  if (button.id === "push-off") stopPush(button);
  if (button.id === "retry") history.length > 1 ? history.back() : location.assign("/");
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches(".passkey")) {
    event.preventDefault();
    withPasskey(form);
  } else if (["sign-out", "delete-all"].includes(form.id) && !form.dataset.isReady) {
    // This browser is not notified of a user who has left it.
    event.preventDefault();
    form.dataset.isReady = "yes";
    forgetSubscription().finally(() => form.requestSubmit());
  }
});

localise(document);
offerZones();
openBrief();
followDeletion();
