"""Reads a file of transactions with a library by others, and writes the amounts and the closing balance, one a line.

Usage: transactions.py ofx|mt940|beancount FILE
"""

import sys


def ofx(path):
    from ofxtools.Parser import OFXTree

    tree = OFXTree()
    tree.parse(path)
    for statement in tree.convert().statements:
        for transaction in statement.transactions:
            yield transaction.trnamt
        yield statement.ledgerbal.balamt


def swift(path):
    import mt940

    messages = mt940.parse(path)
    for transaction in messages:
        yield transaction.data["amount"].amount
    yield messages.data["final_closing_balance"].amount.amount


def beancount(path):
    from beancount import loader
    from beancount.core.data import Balance, Transaction

    entries, errors, _ = loader.load_file(path)
    if errors:
        sys.exit("\n".join(error.message for error in errors))
    for entry in entries:
        if isinstance(entry, Transaction) and entry.payee != "Opening balance":
            yield entry.postings[0].units.number
    for entry in entries:
        if isinstance(entry, Balance):
            yield entry.amount.number


for number in {"ofx": ofx, "mt940": swift, "beancount": beancount}[sys.argv[1]](sys.argv[2]):
    print(f"{number:.2f}")
