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


def document_id(bank, kind, period):
    name = canonical({"bank_id": bank, "kind": kind, "period": period})
    return hashlib.sha256(name).digest()[:16].hex()


for what, wanted in examples["names"].items():
    assert document_id(*what.split()) == wanted, what
envelope, manifest, closing = (examples[name] for name in ("envelope", "manifest", "closing"))
for message in (envelope, manifest, closing):
    assert message["version"] == "2"
    assert message["signature"] == signature(message), message
ids = [
    document_id(envelope["bank_id"], kind, period)
    for period in envelope["params"]["periods"] for kind in envelope["params"]["kinds"]
]
assert [document["document_id"] for document in closing["documents"]] == ids
assert manifest["document_id"] == ids[manifest["number"] - 1] and manifest["of"] == len(ids)
assert manifest["filename"] == f"{manifest['request_id']}-{manifest['document_id']}.pdf"
print("recomputed", len(examples))
