// The service worker shows notices, and a page without a connection. It keeps nothing of the user's.
const worker = "serviceWorker" in navigator && window.isSecureContext
  ? navigator.serviceWorker.register("/worker.js[[query]]").catch(() => null) : Promise.resolve(null);

async function subscription() {
  const registration = await worker;
  return registration && registration.pushManager ? registration.pushManager.getSubscription() : null;
}

async function subscribe(key) {
  const registration = await navigator.serviceWorker.ready;
  // One subscription at a time: that to an earlier key has to go first.
  const earlier = await registration.pushManager.getSubscription();
  if (earlier && (!earlier.options.applicationServerKey || encode(earlier.options.applicationServerKey) !== key)) {
    await earlier.unsubscribe();
  }
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: decode(key) });
  await post("/notifications", { subscription: made.toJSON() });
  return made;
}

// Returns the subscription that is kept. One that belongs to another key than the assistant's present one is made anew.
async function keepSubscription(made, present) {
  const key = made.options.applicationServerKey ? encode(made.options.applicationServerKey) : present;
  if (present && key !== present) {
    await made.unsubscribe();
    return subscribe(present);
  }
  await post("/notifications", { subscription: made.toJSON() });
  return made;
}

// Shows whether this browser is notified: it has a subscription, and the assistant knows it as this user's device.
async function showPush() {
  const on = document.getElementById("push-on");
  const off = document.getElementById("push-off");
  if (!on) return;
  const registration = await worker;
  if (!registration || !registration.pushManager || !window.Notification) {
    say("[[script.no-push]]", on);
    return;
  }
  let made = await subscription().catch(() => null);
  const isKnown = Boolean(document.querySelector("[data-own]"));
  // A push service can give another address without a word, so each visit tells the assistant of it again.
  if (made && isKnown) made = await keepSubscription(made, on.dataset.key).catch(subscription).catch(() => null);
  on.hidden = Boolean(made) && isKnown;
  off.hidden = !on.hidden;
}

async function startPush(button) {
  button.disabled = true;
  try {
    if (await Notification.requestPermission() !== "granted") throw new Told("[[script.push-refused]]");
    await subscribe(button.dataset.key);
    location.reload();
  } catch (error) {
    say(reason(error), button);
    button.disabled = false;
  }
}

async function stopPush(button) {
  button.disabled = true;
  try {
    await post("/notifications/remove", {});
    await forgetSubscription();
    location.reload();
  } catch (error) {
    say(reason(error), button);
    button.disabled = false;
  }
}

async function forgetSubscription() {
  const made = await subscription().catch(() => null);
  if (made) await made.unsubscribe().catch(() => {});
}

showPush();
