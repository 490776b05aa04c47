"""A browser without a screen, for the phone's approval page: it keeps cookies, follows one address, and sends forms."""

import html
import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request


class StaysHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Page:
    def __init__(self, address):
        """Opens the page at an address that a terminal has shown."""
        self.origin, _, code = address.partition("/#code=")
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), StaysHere())
        self.base = ""
        _, headers, _ = self.send("/", {"code": code})
        self.base = headers["Location"].rstrip("/")

    def send(self, path, form=None):
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(self.origin + self.base + path, body, {"Origin": self.origin})
        try:
            answer = self.opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.headers, answer.read().decode("utf-8", "replace")

    def text(self, path="/"):
        """The words of a page."""
        body = re.sub(r"(?s)<(script|style|head).*?</\1>|<[^>]*>", " ", self.send(path)[2])
        return " ".join(html.unescape(body).split())

    def shown(self):
        """The words of each page that the first one leads to. A command line in them ends with a backtick."""
        start = self.send("/")[2]
        places = re.findall(rf'href="{re.escape(self.base)}(/[a-z]*)"', start)
        for path in dict.fromkeys(["/", *places]):
            body = re.sub(r"(?s)<(script|style|head).*?</\1>", " ", self.send(path)[2])
            body = re.sub(r"</code>", "`", " ".join(body.split()))
            body = re.sub(r"</?(p|li|h[1-6]|div|section|label|button|summary|tr|td|dd|dt)\b[^>]*>", "\n", body)
            yield html.unescape(re.sub(r"<[^>]*>", "", body))

    def unlock(self, passphrase):
        token = re.search(r'data-csrf="([^"]+)"', self.send("/")[2]).group(1)
        return self.send("/sign-in", {"csrf": token, "passphrase": passphrase})[0]
