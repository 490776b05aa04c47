"use strict";
const shell = "countersign-shell-1[[query]]";

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
