"""The words that a page shows: without what it hides, such as details that nobody has opened."""

import html.parser
import re

# Elements that have no end tag (HTML Living Standard, 13.1.2).
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def words(text):
    """The words of a text. A dash or a bullet alone is not read as a word."""
    return re.findall(r"\S*\w\S*", text)


class Shown(html.parser.HTMLParser):
    def __init__(self, source):
        super().__init__()
        # The open elements, each with whether the text in it is shown.
        self.open, self.text = [], ""
        self.feed(source)
        self.close()

    def is_shown(self):
        return not self.open or self.open[-1][1]

    def handle_starttag(self, tag, attributes):
        # Words of two elements are two words.
        self.text += " "
        if tag in VOID:
            return
        names = {name for name, _ in attributes}
        parent = self.open[-1][0] if self.open else ""
        around = self.open[:-1] if parent == "details" and tag == "summary" else self.open
        shown = all(shows for _, shows in around)
        is_hidden = tag in ("head", "script", "style") or "hidden" in names or (tag == "details" and "open" not in names)
        self.open.append((tag, shown and not is_hidden))

    def handle_endtag(self, tag):
        if any(name == tag for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass
        self.text += " "

    def handle_data(self, text):
        if self.is_shown():
            self.text += text


def shown_words(source):
    return words(Shown(source).text)
