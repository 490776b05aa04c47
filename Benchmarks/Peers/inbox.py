"""Opens the approval page's inbox in a headless Chromium with an empty cache, and prints five medians: the milliseconds
until the first paint, the requests, the bytes that were transferred, the milliseconds until the first paint of a bare static
page of as many bytes, and the milliseconds from the start of `request` until the open page shows the new request.

    python inbox.py ADDRESS PASSPHRASE_FILE PROGRAM
"""

import http.server
import pathlib
import statistics
import subprocess
import sys
import threading
import time

import fetch_playwright

ROUNDS = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
MONTHS = {"2024-08": "August 2024", "2024-09": "September 2024", "2024-10": "October 2024", "2024-11": "November 2024",
          "2024-12": "December 2024"}


class BarePage(http.server.BaseHTTPRequestHandler):
    """One page of text, without a style, a script or a picture."""

    length = 0

    def do_GET(self):
        begin = b"<!doctype html><title>Bare</title><p>"
        body = begin + (b"A line of words. " * (self.length // 17 + 1))[: max(0, self.length - len(begin))]
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def painted(page, address):
    page.goto(address)
    # The page's policy forbids the script by which wait_for_function would look.
    while (paint := page.evaluate(PAINT)) is None:
        page.wait_for_timeout(5)
    return paint


def visits(context, page):
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    transferred = {}
    session.on(
        "Network.loadingFinished",
        lambda event: transferred.update({event["requestId"]: event["encodedDataLength"]}),
    )
    bare = context.new_page()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BarePage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    inbox = page.url
    for _ in range(ROUNDS):
        transferred.clear()
        paint = painted(page, inbox)
        requests, BarePage.length = len(transferred), int(sum(transferred.values()))
        bare.bring_to_front()
        theirs = painted(bare, f"http://localhost:{server.server_port}/")
        page.bring_to_front()
        yield paint, requests, BarePage.length, theirs
    bare.close()
    server.shutdown()


def appearance(page, program, month, words):
    begin = time.perf_counter()
    request = subprocess.Popen([program, "request", month], stdout=subprocess.DEVNULL)
    page.get_by_text(words).first.wait_for()
    shown = time.perf_counter()
    if request.wait() != 0:
        sys.exit(f"the request for {month} was not taken")
    return (shown - begin) * 1000


def main():
    address, passphrase, program = sys.argv[1], pathlib.Path(sys.argv[2]).read_text().splitlines()[0], sys.argv[3]
    # What its service worker keeps would be another cache.
    context = fetch_playwright.chromium().new_context(service_workers="block")
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Passphrase").fill(passphrase)
    page.get_by_role("button", name="Unlock with passphrase").click()
    page.get_by_role("heading", name="Inbox").wait_for()
    medians = [statistics.median(values) for values in zip(*visits(context, page))]
    shown = statistics.median(appearance(page, program, month, words) for month, words in MONTHS.items())
    print(*medians, shown)


if __name__ == "__main__":
    main()
