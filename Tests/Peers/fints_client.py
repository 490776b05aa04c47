"""Visits a FinTS server with python-fints, which refuses every segment that it cannot read. Prints what it fetched."""
import datetime
import hashlib
import sys
import warnings

import fints.parser
from fints.client import FinTS3PinTanClient, NeedTANResponse
from fints.formals import StatementFormat

fints.parser.robust_mode = False
warnings.simplefilter("error", fints.parser.FinTSParserWarning)


def main(url, bank_code, user, pin, tan, first, last):
    client = FinTS3PinTanClient(bank_code, user, pin, url, product_id="TESTPRODUCT")
    client.fetch_tan_mechanisms()
    print("methods", ",".join(client.get_tan_mechanisms()), "chosen", client.get_current_tan_mechanism())

    def solve(answer):
        for _ in range(9):
            if not isinstance(answer, NeedTANResponse):
                return answer
            print("challenge", "decoupled" if answer.decoupled else "tan", "picture" if answer.challenge_matrix else "text")
            answer = client.send_tan(answer, "" if answer.decoupled else tan)
        raise SystemExit("the bank asks without end")

    with client:
        solve(client.init_tan_response)
        accounts = solve(client.get_sepa_accounts())
        print("accounts", ",".join(account.iban for account in accounts))
        account = accounts[0]
        print("balance", solve(client.get_balance(account)).amount)
        days = (datetime.date.fromisoformat(first), datetime.date.fromisoformat(last))
        try:
            listed = solve(client.get_statements(account))
            print("statements", len(listed))
            statement = solve(client.get_statement(account, listed[-1].statement_number, listed[-1].year, StatementFormat.PDF))
            print("pdf", hashlib.sha256(statement.data).hexdigest())
            documents, _ = solve(client.get_transactions_xml(account, *days))
            print("camt", ",".join(hashlib.sha256(document).hexdigest() for document in documents))
        except fints.exceptions.FinTSUnsupportedOperation as missing:
            print("not offered", missing)
        print("bookings", len(solve(client.get_transactions(account, *days))))
    print("end")


main(*sys.argv[1:])
