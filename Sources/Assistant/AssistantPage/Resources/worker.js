"use strict";
const shell = "assistant-shell-1[[query]]";

// The place of these pages that a notice is about, from its link for the app. Only ids of the assistant's form get into
// an address. A notice without a link that is known leads to the first page.
const places = { briefs: "/briefs/", alerts: "/alerts/", confirmations: "/confirmations", connectors: "/connections" };

function place(link) {
  const [, kind, id] = /^alfred:\/\/([a-z]+)(?:\/([A-Za-z0-9_-]{1,80}))?$/.exec(String(link || "")) || [];
  const path = Object.hasOwn(places, kind || "") ? places[kind] : "/";
  if (!path.endsWith("/") || path === "/") return path;
  return id ? path + id : "/";
}

// Notices come in English, as an app gets them. This table has their own sentences in the page's language, by the English ones.
// What others wrote is not among them, and is shown as it is.
const sentences = "[[notices]]";

// Returns one sentence in the page's language; null for any other text.
function ownWords(text) {
  for (const [english, sentence] of Object.entries(sentences)) {
    const [before, after] = english.split(/{{[a-z]+}}/);
    if (after === undefined ? text === english : text.startsWith(before) && text.endsWith(after)) {
      if (after === undefined) return sentence;
      const value = text.slice(before.length, text.length - after.length);
      const isTime = /^[0-9]+ [a-z]+( [0-9]+ [a-z]+)?$/.test(value);
      const words = /^[0-9:]+$/.test(value) ? value : isTime ? ownList(value, /(?<=[a-z]) /, " ") : null;
      if (words) return sentence.replace(/{{[a-z]+}}/, words);
    }
  }
  return null;
}

// Returns a list of sentences in the page's language; null when one of them is not among them.
function ownList(text, between, and) {
  const parts = text.split(between).map(ownWords);
  return parts.every(Boolean) ? parts.join(and) : null;
}

function spoken(notice, category) {
  const title = String(notice.title || ""), body = String(notice.body || "");
  // With details, the title is a sender or a meeting, and the text of a mail its subject.
  const isTheirs = ["URGENT_MAIL", "MEETING_REMINDER"].includes(category) && !ownWords(body);
  return {
    title: isTheirs ? title : ownWords(title) || title,
    body: category === "URGENT_MAIL" && isTheirs ? body : ownWords(body) || ownList(body, ", ", ", ") || ownList(body, ". ", ". ") || body,
  };
}

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data.json() || {};
  } catch (error) { /* A push without a message still says that something is there. */ }
  const aps = message.aps || {};
  const alert = spoken(typeof aps.alert === "string" ? { body: aps.alert } : aps.alert || {}, aps.category);
  event.waitUntil(self.registration.showNotification(alert.title || "[[page.brand]]", {
    body: alert.body || "[[notice.any]]", icon: "/icon-192.png", badge: "/badge.png",
    // The same notice may come twice after a failure; this device shows one.
    tag: String(aps.category || "") + "/" + String(message.id || ""), data: { open: place(message.link) },
  }));
});
