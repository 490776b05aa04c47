"""Opens the approval page's inbox in a headless Chromium with an empty cache, and prints three medians: the milliseconds
until the first paint, the requests, and the bytes that were transferred.

    python first_paint.py ADDRESS PASSPHRASE_FILE
"""

import pathlib
import statistics
import sys

import fetch_playwright

ROUNDS = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def main():
    address, passphrase = sys.argv[1], pathlib.Path(sys.argv[2]).read_text().splitlines()[0]
    # What its service worker keeps would be another cache.
    context = fetch_playwright.chromium().new_context(service_workers="block")
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Passphrase").fill(passphrase)
    page.get_by_role("button", name="Unlock with passphrase").click()
    page.get_by_role("heading", name="Inbox").wait_for()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    transferred = {}
    session.on(
        "Network.loadingFinished",
        lambda event: transferred.update({event["requestId"]: event["encodedDataLength"]}),
    )
    inbox, visits = page.url, []
    for _ in range(ROUNDS):
        transferred.clear()
        page.goto(inbox)
        # The page's policy forbids the script by which wait_for_function would look.
        while (paint := page.evaluate(PAINT)) is None:
            page.wait_for_timeout(5)
        visits.append((paint, len(transferred), sum(transferred.values())))
    print(*(statistics.median(values) for values in zip(*visits)))


if __name__ == "__main__":
    main()
