"""Recomputes the examples of docs/specification/documents.md, written from that text alone.

    python document_messages.py documents.md
"""

import base64
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


def document_id(bank, kind, period, account=None):
    members = {"bank_id": bank, "kind": kind, "period": period}
    if account:
        members["account"] = account
    name = canonical(members)
    return hashlib.sha256(name).digest()[:16].hex()


for what, wanted in examples["names"].items():
    assert document_id(*what.split(maxsplit=3)) == wanted, what
envelope, manifest, closing = (examples[name] for name in ("envelope", "manifest", "closing"))
several, data = examples["accountenvelope"], examples["accountmanifest"]
for message in (envelope, manifest, closing, several, data):
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
print("recomputed", len(examples))
