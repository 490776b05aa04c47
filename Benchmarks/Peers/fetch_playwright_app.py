"""The fetch from the bank that is a single page, with Playwright and a headless Chromium."""

import fetch_playwright
import turns


def fetch(url, authority, file):
    context = fetch_playwright.chromium().new_context(accept_downloads=True)
    bank = context.new_page()
    bank.goto(url + "/")
    bank.get_by_label("Username").fill("robin.ashdown")
    bank.get_by_label("Password").fill("correct horse")
    bank.get_by_role("button", name="Sign in").click()
    code = bank.frame_locator("iframe[name=code]")
    code.get_by_label("One-time code").fill("123456")
    code.get_by_role("button", name="Confirm").click()
    bank.get_by_role("link", name="Statements").click()
    # The list makes a row only when it is scrolled to.
    row = bank.get_by_role("listitem").filter(has_text="May 2024")
    bank.get_by_role("listitem").first.hover()
    while row.count() == 0:
        bank.mouse.wheel(0, 200)
        bank.wait_for_timeout(20)
    with bank.expect_download() as download:
        row.get_by_role("button", name="Save a copy").click()
    download.value.save_as(file)
    assert file.read_bytes().startswith(b"%PDF-")
    bank.get_by_role("button", name="Sign out").click()
    bank.get_by_role("heading", name="Sign in").wait_for()
    context.close()


if __name__ == "__main__":
    turns.run(fetch)
