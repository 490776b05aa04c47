// The service worker shows a page without a connection, and the notifications. It keeps no page of the vault's.
const worker = "serviceWorker" in navigator && window.isSecureContext
  ? navigator.serviceWorker.register("/worker.js[[query]]").catch(() => null) : Promise.resolve(null);

async function subscription() {
  const registration = await worker;
  return registration && registration.pushManager ? registration.pushManager.getSubscription() : null;
}

// Tells the phone of a subscription, and returns the phone's key, to which alone a subscription is kept.
async function tellPhone(made, key) {
  const json = made.toJSON();
  const answer = await post("/notifications", { endpoint: json.endpoint, p256dh: json.keys.p256dh, auth: json.keys.auth, key });
  return answer.key;
}

async function subscribe(key) {
  const registration = await navigator.serviceWorker.ready;
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: decode(key) });
  await tellPhone(made, key);
  return made;
}

// Returns the subscription that is kept. One that belongs to a key that the phone has replaced is made anew.
async function keepSubscription(made) {
  const key = made.options.applicationServerKey ? encode(made.options.applicationServerKey) : "";
  const present = await tellPhone(made, key);
  if (!present || present === key) return made;
  await made.unsubscribe();
  return subscribe(present);
}

async function showPush() {
  const on = document.getElementById("push-on");
  const off = document.getElementById("push-off");
  let made = await subscription().catch(() => null);
  // A push service can forget a subscription without a word, so each opening tells the phone of it again.
  if (made && csrf) made = await keepSubscription(made).catch(subscription).catch(() => null);
  if (!on) return;
  const registration = await worker;
  if (!registration || !registration.pushManager || !window.Notification) {
    say("[[script.no-push]]", on);
    return;
  }
  on.hidden = Boolean(made);
  off.hidden = !made;
}

async function startPush(button) {
  button.disabled = true;
  try {
    if (await Notification.requestPermission() !== "granted") throw new Told("[[script.push-refused]]");
    await subscribe(button.dataset.key);
    say("[[script.push-is-on]]", button, "good");
  } catch (error) {
    say(reason(error, { NotAllowedError: "[[script.push-refused]]" }), button, "bad");
  }
  button.disabled = false;
  await showPush();
}

async function stopPush(button) {
  const made = await subscription();
  if (made) {
    await post("/notifications/remove", { endpoint: made.endpoint }).catch(() => {});
    await made.unsubscribe();
  }
  say("[[script.push-is-off]]", button, "good");
  await showPush();
}

showPush();
