"""Serves OAuth 2.0 with oauthlib: a page that says yes by itself, codes with a proof key, refresh tokens that rotate, and a document for
a token. It prints its port and, when its input ends, what it gave."""

import json
import os
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

from oauthlib.oauth2 import RequestValidator, WebApplicationServer  # noqa: E402

LIFE = int(sys.argv[1])


class Memory(RequestValidator):
    """Keeps codes and tokens. Each code and each refresh token counts once, and a code needs its proof key."""

    def __init__(self):
        self.codes, self.refresh, self.access = {}, set(), set()
        self.given = {"codes": 0, "refreshes": 0, "refused": 0}

    def validate_client_id(self, client_id, request, *args, **kwargs):
        return client_id == "peer-client"

    def validate_redirect_uri(self, client_id, redirect_uri, request, *args, **kwargs):
        return redirect_uri.startswith("http://127.0.0.1:")

    def validate_response_type(self, client_id, response_type, client, request, *args, **kwargs):
        return response_type == "code"

    def get_default_scopes(self, client_id, request, *args, **kwargs):
        return ["read"]

    def validate_scopes(self, client_id, scopes, client, request, *args, **kwargs):
        return scopes == ["read"]

    def is_pkce_required(self, client_id, request):
        return True

    def save_authorization_code(self, client_id, code, request, *args, **kwargs):
        self.codes[code["code"]] = (request.redirect_uri, request.code_challenge, request.code_challenge_method)

    def client_authentication_required(self, request, *args, **kwargs):
        return True

    def authenticate_client(self, request, *args, **kwargs):
        request.client = type("Client", (), {"client_id": request.client_id})()
        return request.client_id == "peer-client" and request.client_secret == "peer secret/+%"

    def validate_grant_type(self, client_id, grant_type, client, request, *args, **kwargs):
        return grant_type in ("authorization_code", "refresh_token")

    def validate_code(self, client_id, code, client, request, *args, **kwargs):
        if code not in self.codes:
            self.given["refused"] += 1
            return False
        request.user, request.scopes = "robin", ["read"]
        return True

    def confirm_redirect_uri(self, client_id, code, redirect_uri, client, request, *args, **kwargs):
        return self.codes[code][0] == redirect_uri

    def get_code_challenge(self, code, request):
        return self.codes[code][1]

    def get_code_challenge_method(self, code, request):
        return self.codes[code][2]

    def invalidate_authorization_code(self, client_id, code, request, *args, **kwargs):
        del self.codes[code]
        self.given["codes"] += 1

    def validate_refresh_token(self, refresh_token, client, request, *args, **kwargs):
        if refresh_token not in self.refresh:
            self.given["refused"] += 1
            return False
        self.refresh.remove(refresh_token)
        self.given["refreshes"] += 1
        request.user = "robin"
        return True

    def get_original_scopes(self, refresh_token, request, *args, **kwargs):
        return ["read"]

    def save_bearer_token(self, token, request, *args, **kwargs):
        self.access = {token["access_token"]}
        self.refresh.add(token["refresh_token"])

    def validate_bearer_token(self, token, scopes, request):
        return token in self.access


memory = Memory()
server = WebApplicationServer(memory, token_expires_in=LIFE)


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def reply(self, headers, body, status):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        data = (body or "").encode() if isinstance(body, (str, type(None))) else body
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        uri = f"http://{self.headers['Host']}{self.path}"
        if self.path.startswith("/authorize"):
            scopes, credentials = server.validate_authorization_request(uri, "GET", None, dict(self.headers))
            self.reply(*server.create_authorization_response(uri, "GET", None, dict(self.headers), scopes, credentials))
        elif self.path == "/doc":
            valid, _ = server.verify_request(uri, "GET", None, dict(self.headers), ["read"])
            if valid:
                pdf = b"%PDF-1.4 a statement\nstartxref\n0\n%%EOF\n"
                self.reply({"Content-Type": "application/pdf"}, pdf, 200)
            else:
                self.reply({"Content-Type": "application/json"}, json.dumps({"error": "invalid_token"}), 401)
        else:
            self.reply({}, "", 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        uri = f"http://{self.headers['Host']}{self.path}"
        self.reply(*server.create_token_response(uri, "POST", body, dict(self.headers)))


http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=http.serve_forever, daemon=True).start()
print(http.server_address[1], flush=True)
for line in sys.stdin:
    if line.strip() == "report":
        print(json.dumps(memory.given, sort_keys=True), flush=True)
