"""Claims a setup token as simplefin4py does, and prints the bookings of an account and month as it and beangulp-simplefin read them."""

import asyncio
import base64
import json
import pathlib
import sys
import tempfile
import urllib.request

from beancount.core.data import Transaction
from beangulp_simplefin import SimpleFINImporter
from simplefin4py import SimpleFin
from simplefin4py.exceptions import SimpleFinClaimError

server, account, month = sys.argv[1:]
setup = base64.b64encode(f"{server}/simplefin/claim/mock".encode()).decode()


async def read():
    access = await SimpleFin.claim_setup_token(setup)
    try:
        await SimpleFin.claim_setup_token(setup)
        print("claimed twice")
    except SimpleFinClaimError:
        print("refused the second time")
    return access, await SimpleFin(access).fetch_data()


access, read_by_client = asyncio.run(read())
found = read_by_client.get_account_for_id(account)
for entry in found.transactions:
    if entry.posted.timestamp() and f"{entry.posted:%Y-%m}" == month:
        print(f"simplefin4py {entry.posted:%Y-%m-%d} {entry.amount} {entry.description}")

scheme, rest = access.split("//")
pair, host = rest.split("@")
request = urllib.request.Request(f"{scheme}//{host}/accounts?account={account}")
request.add_header("Authorization", "Basic " + base64.b64encode(urllib.request.unquote(pair).encode()).decode())
with urllib.request.urlopen(request) as answer:
    given = json.load(answer)["accounts"][0]
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "account.json"
    file.write_text(json.dumps(given))
    importer = SimpleFINImporter({account: "Assets:Bank"})
    assert importer.identify(str(file))
    for entry in importer.extract(str(file), []):
        if isinstance(entry, Transaction) and f"{entry.date:%Y-%m}" == month:
            print(f"beangulp {entry.date} {entry.postings[0].units.number} {entry.narration}")
