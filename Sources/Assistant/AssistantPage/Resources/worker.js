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

// The place of these pages that a notice is about, from its link for the app. Only ids of the assistant's form get into
// an address. A notice without a link that is known leads to the first page.
const places = { briefs: "/briefs/", alerts: "/alerts/", confirmations: "/confirmations", connectors: "/connections" };

function place(link) {
  const [, kind, id] = /^alfred:\/\/([a-z]+)(?:\/([A-Za-z0-9_-]{1,80}))?$/.exec(String(link || "")) || [];
  const path = Object.hasOwn(places, kind || "") ? places[kind] : "/";
  if (!path.endsWith("/") || path === "/") return path;
  return id ? path + id : "/";
}

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data.json() || {};
  } catch (error) { /* A push without a message still says that something is there. */ }
  const aps = message.aps || {};
  const alert = typeof aps.alert === "string" ? { body: aps.alert } : aps.alert || {};
  event.waitUntil(self.registration.showNotification(alert.title || "Assistant", {
    body: alert.body || "Open the assistant to see what is new.", icon: "/icon-192.png", badge: "/badge.png",
    // The same notice may come twice after a failure; this device shows one.
    tag: String(aps.category || "") + "/" + String(message.id || ""), data: { open: place(message.link) },
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
