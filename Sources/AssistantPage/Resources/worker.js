"use strict";
// Keeps the page for a lost connection, and nothing of the user's: other pages are never stored.
const shell = "assistant-shell-1";
const files = ["/offline.html", "/style.css", "/page.js", "/icon.svg"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== shell).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.mode === "navigate" && request.method === "GET") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline.html")));
  } else if (request.method === "GET" && files.includes(path)) {
    event.respondWith(fetch(request).catch(() => caches.match(path)));
  }
});

// The place of these pages that a notice is about. Only ids of the assistant's form get into an address.
function place(category, id) {
  const known = /^[A-Za-z0-9_-]{1,80}$/.test(id || "");
  switch (category) {
    case "MORNING_BRIEF": return known ? "/briefs/" + id : "/";
    case "URGENT_MAIL": return known ? "/alerts/" + id : "/";
    case "CONFIRMATION": case "STATEMENT": return "/confirmations";
    case "RECONNECT": return "/connections";
    default: return "/";
  }
}

self.addEventListener("push", (event) => {
  let aps = {};
  let id = "";
  try {
    const message = event.data.json();
    aps = message.aps || {};
    id = String(message.id || "");
  } catch (error) { /* A push without a message still says that something is there. */ }
  const alert = typeof aps.alert === "string" ? { body: aps.alert } : aps.alert || {};
  const category = String(aps.category || "");
  event.waitUntil(self.registration.showNotification(alert.title || "Assistant", {
    body: alert.body || "Open the assistant to see what is new.", icon: "/icon-192.png", badge: "/badge.png",
    // The same notice may come twice after a failure; this device shows one.
    tag: category + "/" + id, data: { open: place(category, id) },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.open, self.location.origin);
  if (address.origin !== self.location.origin) return;
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async (windows) => {
    const open = windows[0];
    if (!open) return self.clients.openWindow(address.href);
    await open.focus().catch(() => {});
    return open.navigate(address.href).catch(() => self.clients.openWindow(address.href));
  }));
});
