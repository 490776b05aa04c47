"""The fetch with woob's browser: a class for the bank, a class for each of its pages."""

from woob.browser import URL, PagesBrowser
from woob.browser.elements import ItemElement, ListElement, method
from woob.browser.filters.html import Link
from woob.browser.filters.standard import CleanText
from woob.browser.pages import HTMLPage, RawPage
from woob.capabilities.base import BaseObject, StringField

import turns


class Document(BaseObject):
    label = StringField("The month")
    address = StringField("Where the PDF is")


class LoginPage(HTMLPage):
    def login(self, username, password):
        form = self.get_form(xpath='//form[@action="/login"]')
        form["username"] = username
        form["password"] = password
        form.submit()


class CodePage(HTMLPage):
    def send(self, code):
        form = self.get_form(xpath='//form[@action="/code"]')
        form["code"] = code
        form.submit()


class SignedInPage(HTMLPage):
    def logout(self):
        self.get_form(xpath='//form[@action="/logout"]').submit()


class AccountsPage(SignedInPage):
    def statements(self):
        return Link('//a[normalize-space()="Statements"]')(self.doc)


class StatementsPage(SignedInPage):
    def show(self, year):
        form = self.get_form(xpath='//form[has-class("filter")]')
        form["year"] = year
        form.submit()

    def next(self):
        return Link('//a[@rel="next"]')(self.doc)

    @method
    class documents(ListElement):
        item_xpath = "//tbody/tr"

        class item(ItemElement):
            klass = Document
            obj_label = CleanText("./td[1]")
            obj_address = Link('.//a[text()="PDF"]')


class Bank(PagesBrowser):
    login = URL(r"/login$", LoginPage)
    code = URL(r"/code$", CodePage)
    accounts = URL(r"/accounts$", AccountsPage)
    document = URL(r"/statements/\w+/[\d-]+$", RawPage)
    statements = URL(r"/statements(\?.*)?$", StatementsPage)

    def __init__(self, url, authority):
        self.BASEURL = url + "/"
        self.VERIFY = authority
        super().__init__()

    def statement(self, month):
        while True:
            for document in self.page.documents():
                if document.label == month:
                    return self.open(document.address).content
            self.location(self.page.next())


def fetch(url, authority, file):
    bank = Bank(url, authority)
    bank.login.go().login("robin.ashdown", "correct horse")
    bank.page.send("123456")
    bank.location(bank.page.statements())
    bank.page.show("2024")
    content = bank.statement("May 2024")
    assert content.startswith(b"%PDF-")
    file.write_bytes(content)
    bank.page.logout()
    bank.session.close()


if __name__ == "__main__":
    turns.run(fetch)
