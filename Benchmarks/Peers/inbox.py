"""Opens the approval page's inbox in a headless Chromium with an empty cache, and prints four medians: the milliseconds
until the first paint, the requests, the bytes that were transferred, and the milliseconds from the start of `request`
until the open page shows the new request.

    python inbox.py ADDRESS PASSPHRASE_FILE PROGRAM
"""

import pathlib
import statistics
import subprocess
import sys
import time

import fetch_playwright

ROUNDS = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
MONTHS = {"2024-08": "August 2024", "2024-09": "September 2024", "2024-10": "October 2024", "2024-11": "November 2024",
          "2024-12": "December 2024"}


def visits(context, page):
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    transferred = {}
    session.on(
        "Network.loadingFinished",
        lambda event: transferred.update({event["requestId"]: event["encodedDataLength"]}),
    )
    inbox = page.url
    for _ in range(ROUNDS):
        transferred.clear()
        page.goto(inbox)
        # The page's policy forbids the script by which wait_for_function would look.
        while (paint := page.evaluate(PAINT)) is None:
            page.wait_for_timeout(5)
        yield paint, len(transferred), sum(transferred.values())


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
