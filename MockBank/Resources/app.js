const app = document.getElementById("app");
let token = "";

async function call(method, path, body) {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer " + token };
  const crossSite = document.cookie.match(/(?:^|; )XSRF-TOKEN=([^;]*)/);
  if (crossSite) headers["X-XSRF-TOKEN"] = decodeURIComponent(crossSite[1]);
  const answer = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(json.error.message);
  return json;
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function show(title, ...content) {
  document.title = title + " – Meridian Savings";
  const card = element("section", { className: "card narrow" }, element("h1", {}, title), ...content);
  app.replaceChildren(
    element("header", { className: "bar" }, element("a", { className: "brand", href: "/" }, "Meridian Savings")),
    element("main", {}, card));
}

function form(title, fields, button, send) {
  const notice = element("p", { className: "notice notice--error", role: "alert", hidden: true });
  const inputs = fields.map(([name, label, type]) =>
    [element("label", { htmlFor: name }, label), element("input", { id: name, name, type, required: true })]);
  const body = element("form", {}, ...inputs.flat(), element("button", {}, button));
  body.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await send(Object.fromEntries(new FormData(body)));
    } catch (error) {
      notice.textContent = error.message;
      notice.hidden = false;
    }
  });
  show(title, notice, body);
}

function signIn() {
  form("Sign in", [["username", "Username", "text"], ["password", "Password", "password"]], "Sign in",
    async (fields) => { await call("POST", "/api/session", fields); enterCode(); });
}

function enterCode() {
  form("Enter your one-time code", [["code", "One-time code", "text"]], "Continue", async (fields) => {
    token = (await call("POST", "/api/session/code", fields)).token ?? "";
    await statements();
  });
}

async function statements(year = new Date().getFullYear(), from = "") {
  const part = from ? "from=" + encodeURIComponent(from) : "year=" + year;
  const { items, next } = await call("GET", "/api/statements?" + part);
  const rows = items.map((item) => {
    const button = element("button", { type: "button" }, "PDF");
    button.addEventListener("click", () => fetchDocument(item.id, button));
    return element("li", {}, item.title + " ", button);
  });
  const earlier = element("button", { type: "button" }, next ? "Older" : String(year - 1));
  earlier.addEventListener("click", () => next ? statements(year, next) : statements(year - 1));
  const leave = element("button", { type: "button" }, "Sign out");
  leave.addEventListener("click", async () => { await call("DELETE", "/api/session"); signIn(); });
  show("Statements " + year, element("ul", { className: "list" }, ...rows), earlier, leave);
}

async function save(path) {
  const answer = await fetch(path, { headers: { Authorization: "Bearer " + token } });
  const link = element("a", { href: URL.createObjectURL(await answer.blob()), download: "statement.pdf" });
  link.click();
}

async function fetchDocument(id, button) {
  button.textContent = "Being prepared…";
  await call("POST", "/api/documents", { id });
  for (;;) {
    const answer = await call("GET", "/api/documents/" + id);
    if (answer.state === "ready") { await save(answer.href); break; }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  button.textContent = "PDF";
}

signIn();

