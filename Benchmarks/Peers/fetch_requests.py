"""The fetch with requests and lxml: a session, and forms and links found by XPath."""

from urllib.parse import urljoin

import requests
from lxml import html

import turns


def fetch(url, authority, file):
    with requests.Session() as bank:
        bank.verify = authority

        def read(answer):
            answer.raise_for_status()
            page = html.fromstring(answer.content)
            page.make_links_absolute(answer.url)
            return page

        def send(form, **fields):
            values = dict(form.form_values()) | fields
            data = {"data": values} if form.method == "POST" else {"params": values}
            return read(bank.request(form.method, form.action, **data))

        def link(page, text):
            return page.xpath("//a[normalize-space()=$text]/@href", text=text)[0]

        page = read(bank.get(urljoin(url, "/login")))
        page = send(page.xpath("//form[.//input[@name='username']]")[0], username="robin.ashdown", password="correct horse")
        page = send(page.xpath("//form[.//input[@name='code']]")[0], code="123456")
        page = read(bank.get(link(page, "Statements")))
        page = send(page.xpath("//form[.//select[@name='year']]")[0], year="2024")
        while not (found := page.xpath("//tr[td[normalize-space()='May 2024']]//a[normalize-space()='PDF']/@href")):
            page = read(bank.get(link(page, "Next")))
        answer = bank.get(found[0])
        answer.raise_for_status()
        assert answer.content.startswith(b"%PDF-")
        file.write_bytes(answer.content)
        send(page.xpath("//form[@action and contains(@action, '/logout')]")[0])


if __name__ == "__main__":
    turns.run(fetch)
