"""Two banks of a test on one machine: pages over TLS, with a password that their customer can change.

    bank.py CERTIFICATE KEY PASSWORDS PORT

The file PASSWORDS holds the password that each bank takes at this moment, as JSON by the bank's host name. The server writes
each sign-in to its standard output: host, user name, taken or refused.
"""

import datetime
import http.server
import json
import secrets
import ssl
import sys
import urllib.parse

MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]
CODE = "314159"


def pdf(line):
    """A PDF with one line of text (ISO 32000-1, section 7.5)."""
    text = f"BT /F1 18 Tf 60 700 Td ({line}) Tj ET".encode()
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
               b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
               b"<</Length %d>>stream\n%s\nendstream" % (len(text), text),
               b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


class Bank(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions = {}

    def log_message(self, *_):
        pass

    @property
    def host(self):
        return self.headers.get("Host", "").split(":")[0]

    def session(self):
        cookie = self.headers.get("Cookie", "")
        return self.sessions.get(cookie.partition("session=")[2].split(";")[0])

    def answer(self, body, kind="text/html; charset=utf-8", status=200, **headers):
        body = body if isinstance(body, bytes) else f"<!DOCTYPE html><title>Bank</title><main>{body}</main>".encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def send_on(self, path, **headers):
        self.answer(b"", status=303, Location=path, **headers)

    def login_page(self, error=""):
        self.answer(f"<p class=error>{error}</p>" * bool(error) + """<form method=post action=/login>
            <label>Username <input name=username></label>
            <label>Password <input name=password type=password></label><button>Sign in</button></form>""")

    def do_GET(self):
        path, session = urllib.parse.urlsplit(self.path).path, self.session()
        if path == "/login" or session is None:
            return self.login_page()
        if path == "/code":
            return self.answer("""<form method=post action=/code>
                <label>One-time code <input name=code></label><button>Continue</button></form>""")
        if not session["known"]:
            return self.send_on("/code")
        if path == "/statements":
            rows = "".join(f"<li><a href=/statement/{year}-{number + 1:02}.pdf>{name} {year}</a></li>"
                           for year in range(max(2026, datetime.date.today().year), 2024, -1)
                           for number, name in enumerate(MONTHS))
            return self.answer(f"<h1>Statements</h1><ul>{rows}</ul>" + self.leave)
        if path.startswith("/statement/"):
            name = path.rpartition("/")[2]
            return self.answer(pdf(f"{self.host} {name[:7]}"), "application/pdf",
                               Content_Disposition=f'attachment; filename="{name}"')
        return self.answer("<h1>Welcome</h1><a href=/statements>Statements</a>" + self.leave)

    leave = "<form method=post action=/leave><button>Sign out</button></form>"

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
        value = lambda name: form.get(name, [""])[0]
        if self.path == "/login":
            taken = value("password") == json.load(open(sys.argv[3])).get(self.host)
            print(self.host, value("username"), "taken" if taken else "refused", flush=True)
            if not taken:
                return self.login_page("Username or password is wrong.")
            key = secrets.token_urlsafe(16)
            self.sessions[key] = {"known": self.host.startswith("second")}
            return self.send_on("/code" if not self.sessions[key]["known"] else "/",
                                Set_Cookie=f"session={key}; Secure; HttpOnly; Path=/")
        session = self.session()
        if self.path == "/code" and session is not None:
            session["known"] = value("code") == CODE
            return self.send_on("/" if session["known"] else "/code")
        if self.path == "/leave":
            self.sessions.pop(self.headers.get("Cookie", "").partition("session=")[2].split(";")[0], None)
        return self.send_on("/login")


if __name__ == "__main__":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[4])), Bank)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print("ready", server.server_address[1], flush=True)
    server.serve_forever()
