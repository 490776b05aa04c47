// The part that the workers of all pages have, behind their own, which names their cache: `shell`. It keeps the page for a lost
// connection, and nothing of a person's: other pages are never stored.
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
