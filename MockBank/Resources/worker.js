// Adds the session's token to requests for documents, which links cannot carry. The page keeps the token.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function token() {
  const pages = await self.clients.matchAll({ type: "window" });
  const page = pages.find((client) => client.frameType === "top-level");
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event) => resolve(event.data);
    page.postMessage("token", [port2]);
  });
}

self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  if (!pathname.startsWith("/documents/")) return;
  event.respondWith(
    token().then((value) => fetch(event.request.url, { headers: { Authorization: "Bearer " + value } })));
});
