"""Recomputes the examples of docs/specification/documents.md, written from that text alone.

    python document_messages.py documents.md
"""

import base64
import calendar
import hashlib
import hmac
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
secret = re.search(r"The secret of these examples is `([^`]+)`", text).group(1).encode()
examples = {
    name: json.loads(body) for name, body in re.findall(r"```json (\w+)\n(.*?)\n```", text, re.DOTALL)
}


def canonical(value):
    # RFC 8785 for what occurs here: ASCII names, whole numbers and texts.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signature(message):
    unsigned = {name: value for name, value in message.items() if name != "signature"}
    code = hmac.new(secret, canonical(unsigned), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(code).rstrip(b"=").decode()


def document_id(bank, kind, period, account=None, days=None):
    members = {"bank_id": bank, "kind": kind, "period": period}
    if account:
        members["account"] = account
    if days:
        members["from"], members["to"] = days
    name = canonical(members)
    return hashlib.sha256(name).digest()[:16].hex()


for what, wanted in examples["names"].items():
    bank, kind, period, *account = what.split(maxsplit=3)
    days = period.split("/") if "/" in period else None
    assert document_id(bank, kind, period[:7], *account, days=days) == wanted, what
envelope, manifest, closing = (examples[name] for name in ("envelope", "manifest", "closing"))
several, data = examples["accountenvelope"], examples["accountmanifest"]
ranged, part = examples["dayenvelope"], examples["daymanifest"]
for message in (envelope, manifest, closing, several, data, ranged, part):
    assert message["version"] == "2"
    assert message["signature"] == signature(message), message
ids = [
    document_id(envelope["bank_id"], kind, period)
    for period in envelope["params"]["periods"] for kind in envelope["params"]["kinds"]
]
assert [document["document_id"] for document in closing["documents"]] == ids
assert manifest["document_id"] == ids[manifest["number"] - 1] and manifest["of"] == len(ids)
assert manifest["filename"] == f"{manifest['request_id']}-{manifest['document_id']}.pdf"
params = several["params"]
wanted = [
    (account, period, kind)
    for account in params["accounts"] for period in params["periods"] for kind in params["kinds"]
    if {"account": account, "kind": kind, "period": period} not in params["except"]
]
account, period, kind = wanted[data["number"] - 1]
assert (data["account"], data["period"], data["kind"], data["of"]) == (account, period, kind, len(wanted))
assert data["document_id"] == document_id(several["bank_id"], kind, period, account)
assert data["filename"] == f"{data['request_id']}-{data['document_id']}.xml" and data["media_type"] == "application/xml"

# A range of days: the first and the last month are cut where “from” and “to” say so.
params = ranged["params"]


def days_of(period):
    first, last = f"{period}-01", f"{period}-{calendar.monthrange(int(period[:4]), int(period[5:]))[1]}"
    start = params.get("from", first) if period == params["periods"][0] else first
    end = params.get("to", last) if period == params["periods"][-1] else last
    return None if (start, end) == (first, last) else (start, end)


def left_out(account, period, kind):
    entry = {"account": account, "kind": kind, "period": period}
    if days_of(period):
        entry["from"], entry["to"] = days_of(period)
    return entry in params["except"]


wanted = [
    (account, period, kind)
    for account in params["accounts"] for period in params["periods"] for kind in params["kinds"]
    if not left_out(account, period, kind)
]
account, period, kind = wanted[part["number"] - 1]
assert (part["account"], part["period"], part["kind"], part["of"]) == (account, period, kind, len(wanted))
assert (part["from"], part["to"]) == days_of(period)
assert part["document_id"] == document_id(ranged["bank_id"], kind, period, account, days_of(period))
print("recomputed", len(examples))
