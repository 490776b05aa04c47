"""The fetch with MechanicalSoup: a stateful browser, forms by selector, links by their text."""

import mechanicalsoup

import turns


def fetch(url, authority, file):
    with mechanicalsoup.StatefulBrowser(soup_config={"features": "lxml"}, raise_on_404=True) as bank:
        bank.session.verify = authority
        bank.open(url + "/login")
        bank.select_form('form[action="/login"]')
        bank["username"] = "robin.ashdown"
        bank["password"] = "correct horse"
        bank.submit_selected()
        bank.select_form('form[action="/code"]')
        bank["code"] = "123456"
        bank.submit_selected()
        bank.follow_link(link_text="Statements")
        bank.select_form("form.filter")
        bank["year"] = "2024"
        bank.submit_selected()
        while not (row := bank.page.find(lambda tag: tag.name == "tr" and tag.find("td", string="May 2024"))):
            bank.follow_link(link_text="Next")
        answer = bank.download_link(row.find("a", string="PDF"), file=str(file))
        assert answer.content.startswith(b"%PDF-")
        bank.select_form('form[action="/logout"]')
        bank.submit_selected()


if __name__ == "__main__":
    turns.run(fetch)
