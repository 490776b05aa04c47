"use strict";
// Keeps the page for a lost connection, and nothing of the vault's: other pages are never stored.
const shell = "countersign-shell-1[[query]]";
const files = ["/offline.html[[query]]", "/style.css", "/page.js[[query]]", "/icon.svg"];

// A worker of another language waits until the pages of the one before are closed. One that took over at once could leave a page
// that was just being opened without an answer.
self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(shell).then((cache) => cache.addAll(files)));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((name) => name !== shell).map((name) => caches.delete(name))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, search } = new URL(request.url);
  const path = pathname + search;
  if (request.mode === "navigate" && request.method === "GET") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline.html[[query]]")));
  } else if (request.method === "GET" && files.includes(path)) {
    event.respondWith(fetch(request).catch(() => caches.match(path)));
  }
});

// The message says where to look, and nothing about a bank (RFC 8291 encrypts even that).
self.addEventListener("push", (event) => {
  let open = "/";
  try { open = event.data.json().open; } catch (error) { /* A push without a message still says that something waits. */ }
  const isOffer = open.includes("#o-");
  const isConsent = open.includes("#c-");
  const kind = isOffer ? "offer" : isConsent ? "consent" : "request";
  const titles = { offer: "[[push.offers]]", consent: "[[push.consent]]", request: "[[push.request]]" };
  const bodies = {
    offer: "[[push.offers-text]]", consent: "[[push.consent-text]]",
    request: "[[push.request-text]]",
  };
  event.waitUntil(Promise.all([
    self.registration.showNotification(titles[kind], {
      body: bodies[kind], icon: "/icon-192.png", badge: "/badge.png", tag: kind,
      renotify: true, data: { open },
    }),
    self.navigator.setAppBadge ? self.navigator.setAppBadge().catch(() => {}) : null,
  ]));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data.open, self.location.origin);
  if (address.origin !== self.location.origin) return;
  event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async (windows) => {
    const place = address.pathname;
    const open = windows.find((one) => new URL(one.url).pathname.startsWith(place)) || windows[0];
    if (!open) return self.clients.openWindow(address.href);
    await open.focus().catch(() => {});
    return open.navigate(address.href).catch(() => self.clients.openWindow(address.href));
  }));
});
