// Updates change what has changed: the rest keeps its focus, its scroll position and what a person has typed or opened.

const key = (node) => (node.nodeType === Node.ELEMENT_NODE && (node.id || node.dataset.question)) || "";
const isSame = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && key(one) === key(other);

function morph(now, wanted) {
  if (now.nodeType !== Node.ELEMENT_NODE) {
    if (now.nodeValue !== wanted.nodeValue) now.nodeValue = wanted.nodeValue;
    return;
  }
  // A card whose denial can still be undone, and a form that is being sent, belong to the person.
  if (now.hasAttribute("data-denying") || now.hasAttribute("data-sending")) return;
  morphAttributes(now, wanted);
  if (!now.matches(".status, .clock")) morphChildren(now, wanted);
}

function morphAttributes(now, wanted) {
  const isOwn = (name) => name === "data-outcome" || (name === "open" && now.nodeName === "DETAILS")
    || (name === "value" && now.nodeName === "INPUT" && now.type !== "hidden");
  for (const { name } of [...now.attributes]) {
    if (!wanted.hasAttribute(name) && !isOwn(name)) now.removeAttribute(name);
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (now.getAttribute(name) !== value && !isOwn(name)) now.setAttribute(name, value);
  }
}

function morphChildren(now, wanted) {
  let place = now.firstChild;
  for (const child of [...wanted.childNodes]) {
    let match = place;
    if (!match || !isSame(match, child)) {
      match = key(child) ? [...now.childNodes].find((one) => isSame(one, child)) : null;
      if (!match && place && !key(place) && !key(child)) {
        for (let next = place; next && !key(next); next = next.nextSibling) {
          if (isSame(next, child)) { match = next; break; }
        }
      }
      if (match) {
        // What a keyed element moves past stays where it is; to move the focused one would take its focus away.
        if (match.contains(document.activeElement)) {
          while (place && place !== match && !key(place)) { const next = place.nextSibling; place.remove(); place = next; }
          while (place && place !== match) { const next = place.nextSibling; now.append(place); place = next; }
        } else {
          now.insertBefore(match, place);
        }
      } else {
        match = document.importNode(child, true);
        now.insertBefore(match, place);
        place = match.nextSibling;
        continue;
      }
    }
    morph(match, child);
    place = match.nextSibling;
  }
  while (place) { const next = place.nextSibling; place.remove(); place = next; }
}

// A time within the last hour, as a person says it; the clocks of two machines differ a little.
function ago(date) {
  const seconds = (Date.now() - date) / 1000;
  if (seconds < -60 || seconds >= 3600) return "";
  return seconds < 60 ? "[[script.just-now]]" : "[[script.minutes-ago]]".replace("{{count}}", Math.floor(seconds / 60));
}

// Times are the server's until here; a browser may be in another zone.
function localise(root, which = "time[datetime]") {
  const day = (date) => date.toLocaleDateString("[[locale]]", { day: "numeric", month: "short", year: "numeric" });
  const today = day(new Date());
  for (const place of root.querySelectorAll(which)) {
    const date = new Date(place.getAttribute("datetime"));
    if (isNaN(date)) continue;
    const clock = date.toLocaleTimeString("[[locale]]", { hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
    const text = "ago" in place.dataset && ago(date) || (day(date) === today ? "[[script.today]]".replace("{{clock}}", clock) : day(date) + ", " + clock);
    if (place.textContent !== text) place.textContent = text;
  }
}

// As the server writes it: minutes, hours, or days from two on.
function clock(left) {
  if (left >= 172800) return "[[date.days-left]]".replace("{{count}}", Math.floor(left / 86400));
  const two = (number) => String(number).padStart(2, "0");
  if (left < 3600) return Math.floor(left / 60) + ":" + two(left % 60);
  return Math.floor(left / 3600) + ":" + two(Math.floor(left / 60) % 60) + ":" + two(left % 60);
}

let lastRenewal = 0;

function count() {
  localise(document, "time[data-ago]");
  let isOver = false;
  for (const place of document.querySelectorAll("[data-expires]")) {
    const left = Math.max(0, Math.floor((Number(place.dataset.expires) - Date.now()) / 1000));
    const text = clock(left);
    if (place.textContent !== text) place.textContent = text;
    if (left === 0 && "renews" in place.dataset) isOver = true;
  }
  // What follows is the server's to say. A browser whose clock is ahead asks a few times too often.
  if (isOver && Date.now() - lastRenewal > 2000) { lastRenewal = Date.now(); renew(true); }
}

function tell(words) {
  const bar = document.getElementById("connection");
  bar.textContent = words;
  bar.hidden = !words;
}

function showWaiting(count) {
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = count > 0 ? "(" + count + ") " + title : title;
  if (!navigator.setAppBadge) return;
  (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {});
}

// A card that comes in above the one that a person types into must not push it out of sight.
function keepingPlace(main, change) {
  const focused = document.activeElement;
  const anchor = focused !== main && main.contains(focused) ? focused.closest("article, section") || focused : null;
  const before = anchor && anchor.getBoundingClientRect().top;
  change();
  if (anchor && anchor.isConnected) scrollBy(0, anchor.getBoundingClientRect().top - before);
}

// The number of changes that this page shows; the events say the newest.
let seen = document.body.dataset.version;
let isFetching = false;
let isStale = false;

async function fetchPage(address, options) {
  const response = await reached(fetch(address, options));
  return { response, page: new DOMParser().parseFromString(await reached(response.text()), "text/html") };
}

async function renew(isOwn) {
  const main = document.getElementById("main");
  if (isFetching || (!isOwn && main.querySelector("button:disabled"))) { isStale = true; return; }
  isFetching = true;
  isStale = false;
  try {
    const headers = { Accept: "text/html", "X-Page-Renewal": document.hidden ? "hidden" : "1" };
    const { response, page } = await fetchPage(location.pathname + location.search, { headers });
    const wanted = page.getElementById("main");
    if (!page.body.dataset.base) { leave(location.pathname); return; }
    if (page.querySelector("[data-locked]")) { leave(response.url); return; }
    localise(page);
    const asked = main.querySelector("[data-question]");
    keepingPlace(main, () => morphChildren(main, wanted));
    seen = page.body.dataset.version;
    const asks = main.querySelector("[data-question]");
    if (asks && (!asked || asked.dataset.question !== asks.dataset.question)) {
      const field = asks.querySelector("input:not([type=hidden]), button");
      if (field && !(document.activeElement && document.activeElement.matches("input"))) field.focus();
    }
    showWaiting(Number(page.body.dataset.waiting || 0));
    count();
    if (!isLost) tell("");
  } catch (error) {
    if (error instanceof Lost) lose();
    else { console.error(error); tell("[[script.stale]]"); }
  } finally {
    isFetching = false;
    // Something changed while the page was being fetched.
    if (isStale) setTimeout(renew, 100);
  }
}

// The sign-in has ended: unlocking leads back to this place.
function leave(address) {
  events?.close();
  location.assign(address);
}

let events;
let isLost = false;

function lose() {
  // One loss starts one search for the connection.
  if (isLost) return;
  isLost = true;
  events?.close();
  tell("[[script.lost]]");
  document.body.classList.add("lost");
  setTimeout(probe, 1000);
}

async function probe() {
  try {
    await fetch(base + "/", { headers: { "X-Page-Renewal": "hidden" } });
  } catch (error) {
    setTimeout(probe, 1000);
    return;
  }
  listen();
}

function listen() {
  events?.close();
  // The end of the streams to a pairing's page tells the server that it was left.
  const pairing = document.querySelector("form[data-leaving]")?.elements.pairing.value;
  events = new EventSource(base + "/events" + (pairing ? "?pairing=" + encodeURIComponent(pairing) : ""));
  events.addEventListener("change", (event) => { if (event.data !== seen) renew(); });
  events.addEventListener("open", () => {
    if (isLost) { tell(""); renew(); }
    isLost = false;
    document.body.classList.remove("lost");
  });
  events.addEventListener("error", () => {
    events.close();
    // A server that answers, but not with events, has ended the sign-in.
    if (isLost) { renew(); setTimeout(probe, 1000); return; }
    lose();
  });
}

// A telephone that leaves its network ends no connection: the stream of events would only fall silent.
addEventListener("offline", () => { if (events) lose(); });

// On the way back a browser may show a page that it has kept, with the cards of then.
addEventListener("pageshow", (event) => {
  if (!event.persisted || !events) return;
  renew(true);
  listen();
});

// A page that the browser keeps follows nothing until it is shown again.
addEventListener("pagehide", () => events?.close());

// A request that ended while the window was hidden counts as seen from now on.
document.addEventListener("visibilitychange", () => { if (events && !document.hidden) renew(); });

localise(document);
setInterval(count, 500);
count();
showWaiting(Number(document.body.dataset.waiting || 0));
if (document.getElementById("main").hasAttribute("data-live")) listen();
