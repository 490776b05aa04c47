"""Records a visit to a bank with Chromium, as its developer tools would: drives it over WebDriver, reads its network log
over the DevTools protocol, and writes an HTTP Archive.

Usage: chromium_har.py STEPS.json OUTPUT.har [SECONDS]

STEPS.json is a list: {"open": URL}, {"type": [CSS, TEXT]}, {"click": CSS}, {"clickText": [CSS, TEXT]} (the first element
that matches and contains the text), {"await": CSS} or {"awaitText": TEXT}, {"awaitAnswer": MEDIA TYPE}.
"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Driver:
    def __init__(self):
        program = os.environ.get("COUNTERSIGN_CHROMEDRIVER") or shutil.which("chromedriver")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.session = None
        self.profile = tempfile.mkdtemp()
        # A session of its own: its browsers end with it, whatever state they are in.
        self.process = subprocess.Popen([program, f"--port={port}"], stdout=subprocess.DEVNULL, start_new_session=True)

    def start(self):
        self.wait_for_driver()
        options = {
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
                     f"--user-data-dir={self.profile}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"],
            "prefs": {"plugins.always_open_pdf_externally": True, "download.default_directory": self.profile},
        }
        if binary := os.environ.get("COUNTERSIGN_CHROMIUM"):
            options["binary"] = binary
        made = self.send("/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}}}, path="")
        self.session = made["sessionId"]
        self.cdp("Network.enable", {"maxTotalBufferSize": 1 << 28, "maxResourceBufferSize": 1 << 27})

    def wait_for_driver(self):
        for _ in range(200):
            try:
                with urllib.request.urlopen(self.address + "/status", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("chromedriver does not answer")

    def send(self, command, body=None, method="POST", path=None, timeout=60):
        path = f"/session/{self.session}" if path is None else path
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path + command, data, {"Content-Type": "application/json"},
                                         method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)["value"]

    def cdp(self, command, parameters=None):
        return self.send("/goog/cdp/execute", {"cmd": command, "params": parameters or {}})

    def find(self, css, text=None):
        end = time.time() + 20
        while time.time() < end:
            try:
                for element in self.send("/elements", {"using": "css selector", "value": css}):
                    if text is None or text in self.send(f"/element/{element[ELEMENT]}/text", method="GET"):
                        return element[ELEMENT]
            except urllib.error.HTTPError:
                # The page changed meanwhile.
                pass
            time.sleep(0.1)
        raise SystemExit(f"nothing matches {css} with {text}")

    def close(self):
        signal.alarm(0)
        try:
            if self.session:
                self.send("", method="DELETE", timeout=5)
        except OSError:
            pass
        finally:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)


class Network:
    """The exchanges of the log so far. Bodies are fetched soon: the browser forgets those of pages that are gone."""

    def __init__(self, driver):
        self.driver = driver
        self.entries = []
        # The hops of each request id, and the headers that its events named, in order.
        self.chains = {}
        self.headers = {"sent": {}, "received": {}}

    def read(self):
        for record in self.driver.send("/se/log", {"type": "performance"}):
            message = json.loads(record["message"])["message"]
            handler = getattr(self, message["method"].replace(".", "_"), None)
            if handler:
                handler(message["params"])

    def settle(self):
        """Waits until every request has ended: a click that leaves a page makes the browser forget the page's bodies.

        A request that stays open does not hold the visit up for more than five seconds.
        """
        end = time.time() + 5
        self.read()
        while time.time() < end and not all(self.ended(entry) for entry in self.entries):
            time.sleep(0.05)
            self.read()

    def ended(self, entry):
        return entry["finished"] and not (entry["more"] and self.named(entry, "received") is None)

    def named(self, entry, part):
        """Returns the headers that an event of its own named for a hop: they come in the order of the hops, before or after
        the hop itself."""
        hops = [hop for hop in self.chains[entry["id"]] if hop["more"] is not False]
        headers = self.headers[part].get(entry["id"], [])
        place = next((place for place, hop in enumerate(hops) if hop is entry), len(headers))
        return headers[place] if place < len(headers) else None

    def await_answer(self, kind):
        end = time.time() + 20
        while not any(entry["text"] and (entry["response"] or {}).get("mimeType") == kind for entry in self.entries):
            if time.time() > end:
                raise SystemExit(f"no answer of type {kind} came")
            time.sleep(0.1)
            self.read()

    def Network_requestWillBeSent(self, event):
        chain = self.chains.setdefault(event["requestId"], [])
        if (redirect := event.get("redirectResponse")) and chain:
            chain[-1].update(response=redirect, more=event.get("redirectHasExtraInfo", False), finished=True)
        if event["request"]["url"].startswith("http"):
            entry = {"id": event["requestId"], "request": event["request"], "type": event.get("type", "Other"), "wall": event["wallTime"],
                     "response": None, "text": None, "more": None, "finished": False}
            chain.append(entry)
            self.entries.append(entry)

    def Network_responseReceived(self, event):
        if chain := self.chains.get(event["requestId"]):
            chain[-1].update(response=event["response"], more=event.get("hasExtraInfo", False))

    def Network_requestWillBeSentExtraInfo(self, event):
        self.headers["sent"].setdefault(event["requestId"], []).append(event["headers"])

    def Network_responseReceivedExtraInfo(self, event):
        self.headers["received"].setdefault(event["requestId"], []).append(event["headers"])

    def Network_loadingFinished(self, event):
        if chain := self.chains.get(event["requestId"]):
            entry = chain[-1]
            entry["finished"] = True
            try:
                body = self.driver.cdp("Network.getResponseBody", {"requestId": event["requestId"]})
                entry["text"] = (body["body"], body["base64Encoded"])
                if not body["body"]:
                    self.fetch_again(entry)
            except urllib.error.HTTPError:
                self.fetch_again(entry)

    def Network_loadingFailed(self, event):
        if chain := self.chains.get(event["requestId"]):
            chain[-1]["finished"] = True
            self.fetch_again(chain[-1])

    def fetch_again(self, entry):
        """Gets a document once more: Chromium keeps no body of a download, nor of one that became a blob."""
        if (entry["response"] or {}).get("mimeType") != "application/pdf":
            return
        # The event that names the cookies of this request may still be on its way, so the browser is asked for them.
        url = entry["request"]["url"]
        jar = self.driver.cdp("Network.getCookies", {"urls": [url]})["cookies"]
        headers = {"Cookie": "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in jar)} if jar else {}
        sent = {**entry["request"]["headers"], **(self.named(entry, "sent") or {})}
        headers |= {name: value for name, value in sent.items() if name.lower() in ("authorization", "content-type")}
        # The mock bank gives a document twice, also to a form.
        form = entry["request"].get("postData")
        request = urllib.request.Request(url, form and form.encode(), headers, method=entry["request"]["method"])
        with urllib.request.urlopen(request, timeout=20) as answer:
            body = answer.read()
        if not body.startswith(b"%PDF-"):
            raise SystemExit(f"{url} was answered with a PDF, and now with something else")
        entry["text"] = (base64.b64encode(body).decode(), True)


def pairs(headers):
    return [{"name": name, "value": line} for name, value in headers.items() for line in str(value).split("\n")]


def har(network):
    result = []
    for entry in network.entries:
        response = entry["response"] or {"status": 0, "headers": {}, "mimeType": ""}
        headers = {**entry["request"]["headers"], **(network.named(entry, "sent") or {})}
        request = {"method": entry["request"]["method"], "url": entry["request"]["url"], "headers": pairs(headers)}
        if "postData" in entry["request"]:
            kind = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
            request["postData"] = {"mimeType": kind, "text": entry["request"]["postData"]}
        content = {"mimeType": response.get("mimeType", ""), "size": 0}
        if entry["text"]:
            text, is_base64 = entry["text"]
            content |= {"text": text, "size": len(base64.b64decode(text)) if is_base64 else len(text.encode())}
            if is_base64:
                content["encoding"] = "base64"
        answered = pairs(network.named(entry, "received") or response["headers"])
        result.append({
            "startedDateTime": datetime.fromtimestamp(entry["wall"], timezone.utc).isoformat().replace("+00:00", "Z"),
            "time": 1, "_resourceType": entry["type"].lower(), "request": request,
            "response": {"status": response["status"], "headers": answered, "content": content, "redirectURL": next(
                (pair["value"] for pair in answered if pair["name"].lower() == "location"), "")}})
    return {"log": {"version": "1.2", "creator": {"name": "Chromium", "version": "1"}, "entries": result}}


def out_of_time(_signal, _frame):
    raise SystemExit("the visit took too long")


def main(steps, output, seconds=60):
    # A visit takes seconds; a browser that hangs must not hold the tests up. Without a handler the signal would end this
    # program alone, and leave the driver behind.
    signal.signal(signal.SIGALRM, out_of_time)
    # A parent may have blocked it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    driver = Driver()
    try:
        signal.alarm(seconds)
        driver.start()
        network = Network(driver)
        for step in steps:
            (action, value), = step.items()
            if action == "open":
                driver.send("/url", {"url": value})
            elif action == "type":
                driver.send(f"/element/{driver.find(value[0])}/value", {"text": value[1]})
            elif action in ("click", "clickText"):
                element = driver.find(value) if action == "click" else driver.find(*value)
                network.settle()
                driver.send(f"/element/{element}/click")
            elif action == "await":
                driver.find(value)
            elif action == "awaitText":
                driver.find("body", value)
            elif action == "awaitAnswer":
                network.await_answer(value)
            network.read()
        network.settle()
    finally:
        driver.close()
    with open(output, "w", encoding="utf-8") as file:
        json.dump(har(network), file)


if __name__ == "__main__":
    main(json.load(open(sys.argv[1], encoding="utf-8")), sys.argv[2], *map(int, sys.argv[3:]))
