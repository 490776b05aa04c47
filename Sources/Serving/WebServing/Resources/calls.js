"use strict";
const csrf = document.body.dataset.csrf || "";
const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

// Each card and form has a status line of its own.
const say = (text, near) => {
  const area = near && near.closest("form, .card, main");
  const place = (area && area.querySelector(".status")) || document.querySelector(".status");
  if (place) place.textContent = text;
};

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
  });
  if (response.status === 401 && csrf) location.assign("/sign-in");
  const isJSON = (response.headers.get("Content-Type") || "").startsWith("application/json");
  const answer = isJSON ? await response.json() : await response.text();
  if (!response.ok) throw new Error((isJSON && answer.error_message) || "[[script.failed]]");
  return answer;
}
