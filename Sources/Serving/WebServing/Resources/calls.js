"use strict";
const base = document.body.dataset.base || "";
const csrf = document.body.dataset.csrf || "";
const encode = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decode = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

// Each card and form has a status line of its own.
const say = (text, near) => {
  const area = near && near.closest(".card, form, article, main");
  const place = (area && area.querySelector(".status")) || document.querySelector(".status");
  if (place) place.textContent = text;
};

// A proxy may answer in the page's place, and not in JSON.
async function post(path, body) {
  const response = await fetch(base + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
  });
  const { signIn } = document.body.dataset;
  if (response.status === 401 && csrf && signIn) location.assign(signIn);
  const answer = await response.json().catch(() => null);
  if (!answer) throw new Error("[[script.failed]]");
  if (!response.ok) throw new Error(answer.error_message || "[[script.failed]]");
  return answer;
}
