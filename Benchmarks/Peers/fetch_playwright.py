"""The fetch with Playwright and a headless Chromium: once with a browser of its own, in turns with one that stays open."""

import atexit
import functools
import shutil

from playwright.sync_api import Error, sync_playwright

import turns


@functools.cache
def chromium():
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        # Chromium asks its maker for news when it starts; nothing but the mock bank is to be asked here.
        args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"],
    )
    atexit.register(playwright.stop)
    atexit.register(browser.close)
    return browser


def fetch(url, authority, file):
    # The mock bank's authority is of this run alone, and Chromium takes none from a file.
    context = chromium().new_context(ignore_https_errors=True, accept_downloads=True)
    bank = context.new_page()
    bank.goto(url + "/login")
    bank.get_by_label("Username").fill("robin.ashdown")
    bank.get_by_label("Password").fill("correct horse")
    bank.get_by_role("button", name="Sign in").click()
    bank.get_by_label("One-time code").fill("123456")
    bank.get_by_role("button", name="Continue").click()
    bank.get_by_role("link", name="Statements").click()
    bank.get_by_label("Year").select_option("2024")
    bank.get_by_role("button", name="Show").click()
    bank.get_by_role("caption").filter(has_text="2024").wait_for()
    row = bank.get_by_role("row", name="May 2024")
    while row.count() == 0:
        bank.get_by_role("link", name="Next").click()
        bank.wait_for_load_state()
    with bank.expect_download() as download:
        row.get_by_role("link", name="PDF").click()
    download.value.save_as(file)
    assert file.read_bytes().startswith(b"%PDF-")
    bank.get_by_role("button", name="Sign out").click()
    bank.get_by_role("heading", name="You are signed out").wait_for()
    context.close()


if __name__ == "__main__":
    turns.run(fetch)
