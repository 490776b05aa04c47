const app = document.getElementById("app");
const rowHeight = 48;
let token = "";

// MARK: Requests

async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: { "Content-Type": "application/json", Authorization: "Bearer " + token },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(json.error.message);
  return json;
}

// The password stays on the page: what goes to the bank is a proof that the customer knows it.
async function prove(password) {
  const { salt, nonce } = await call("GET", "/api/challenge");
  const bytes = (text) => new TextEncoder().encode(text);
  const digest = await crypto.subtle.digest("SHA-256", bytes(salt + password));
  const key = await crypto.subtle.importKey("raw", digest, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const code = await crypto.subtle.sign("HMAC", key, bytes(nonce));
  return [...new Uint8Array(code)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// MARK: Building pages

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, act) {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", act);
  return made;
}

// The navigation is a component of its own, in a shadow tree.
customElements.define("bank-navigation", class extends HTMLElement {
  connectedCallback() {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const link = (path, text) => {
      const made = element("a", { href: path }, text);
      made.addEventListener("click", (event) => { event.preventDefault(); go(path); });
      return made;
    };
    root.replaceChildren(
      element("nav", { ariaLabel: "Online banking" }, link("/accounts", "Accounts"), " ",
        link("/statements", "Statements"), " ", button("Sign out", signOut)));
  }
});

function show(title, ...content) {
  document.title = title + " – Meridian Savings";
  const bar = element("header", { className: "bar" }, element("span", { className: "brand" }, "Meridian Savings"));
  if (token) bar.append(document.createElement("bank-navigation"));
  app.replaceChildren(
    bar, element("main", {}, element("section", { className: "card" }, element("h1", {}, title), ...content)));
}

// MARK: Pages

function signIn() {
  const form = element("form", {},
    element("label", { htmlFor: "username" }, "Username"),
    element("input", { id: "username", name: "username", required: true }),
    element("label", { htmlFor: "password" }, "Password"),
    element("input", { id: "password", name: "password", type: "password", required: true }),
    element("button", {}, "Sign in"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    try {
      await call("POST", "/api/session", { username: fields.username, proof: await prove(fields.password) });
      go("/code");
    } catch (error) {
      form.querySelector(".notice")?.remove();
      const notice = element("p", { className: "notice notice--error" }, error.message);
      notice.setAttribute("role", "alert");
      form.prepend(notice);
    }
  });
  show("Sign in", form);
}

function code() {
  show("Enter your one-time code", element("iframe", { src: "/frame/code", title: "One-time code", name: "code" }));
}

window.addEventListener("message", (event) => {
  if (event.origin !== location.origin || !event.data.token) return;
  token = event.data.token;
  go("/accounts");
});

function accounts() { show("Your accounts", element("p", {}, "Everyday Account, 40 2071 8836")); }

// Only the rows in view exist.
async function statements() {
  const { items } = await call("GET", "/api/statements");
  const list = element("ul", {});
  list.style.height = items.length * rowHeight + "px";
  const view = element("div", { id: "list", tabIndex: 0 }, list);
  const draw = () => {
    const first = Math.max(0, Math.floor(view.scrollTop / rowHeight) - 1);
    const last = Math.min(items.length, first + Math.ceil(view.clientHeight / rowHeight) + 2);
    list.replaceChildren(...items.slice(first, last).map((item, index) => {
      const row = element("li", {}, element("span", {}, item.title), " ",
        element("a", { href: "/documents/" + item.id }, "PDF"), " ", button("Save a copy", () => save(item)));
      row.style.top = (first + index) * rowHeight + "px";
      return row;
    }));
  };
  view.addEventListener("scroll", draw);
  show("Statements", view);
  draw();
}

async function save(item) {
  const answer = await fetch("/documents/" + item.id);
  const address = URL.createObjectURL(await answer.blob());
  element("a", { href: address, download: item.title + ".pdf" }).click();
}

async function signOut() {
  await call("DELETE", "/api/session");
  token = "";
  go("/login");
}

// MARK: Addresses

function go(path) {
  history.pushState(null, "", path);
  route();
}

function route() {
  if (location.pathname === "/code") return code();
  if (!token) return signIn();
  return location.pathname === "/statements" ? statements() : accounts();
}

window.addEventListener("popstate", route);

async function start() {
  const worker = navigator.serviceWorker;
  worker.addEventListener("message", (event) => event.ports[0].postMessage(token));
  await worker.register("/worker.js");
  if (!worker.controller) await new Promise((resolve) => worker.addEventListener("controllerchange", resolve));
  route();
}

start();
