"""Verifies a receipt with securesystemslib, in-toto-attestation and cryptography, as a program that is not Countersign would.

Usage: receipt.py FILE
"""

import base64
import copy
import hashlib
import json
import sys
import uuid
from datetime import datetime, timezone

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey


def milliseconds(text):
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_approval(predicate, approval):
    # The summary holds texts, small whole numbers and lists: sorted keys and no spaces are its canonical form.
    summary = json.dumps(approval["summary"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    challenge = (
        uuid.UUID(predicate["server_id"]).bytes + uuid.UUID(predicate["request_id"]).bytes
        + hashlib.sha256(summary).digest() + milliseconds(predicate["approval_expires_at"]).to_bytes(8, "big")
    )
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unpadded(approval["device_key"]))
    raw = unpadded(approval["signature"])
    signature = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.verify(signature, challenge, ec.ECDSA(hashes.SHA256()))


def key_of(document):
    payload = json.loads(base64.b64decode(document["payload"]))
    public = load_pem_public_key(payload["predicate"]["receipt_key"].encode())
    return SSlibKey.from_crypto(public, keyid=document["signatures"][0]["keyid"])


def verify(document, key):
    envelope = Envelope.from_dict(copy.deepcopy(document))
    assert envelope.payload_type == "application/vnd.in-toto+json"
    envelope.verify([key], 1)
    message = statement_pb2.Statement()
    json_format.Parse(envelope.payload, message)
    statement = Statement.copy_from_pb(message)
    statement.validate()
    predicate = json.loads(envelope.payload)["predicate"]
    for approval in predicate["approvals"]:
        check_approval(predicate, approval)
    return len(message.subject), len(predicate["approvals"])


def main(file):
    document = json.load(open(file, encoding="utf-8"))
    key = key_of(document)
    subjects, approvals = verify(document, key)
    print(f"verified {subjects} subjects, {approvals} approvals")

    payload = base64.b64decode(document["payload"])
    signature = base64.b64decode(document["signatures"][0]["sig"])
    accepted = 0
    for name, original in (("payload", payload), ("sig", signature)):
        for place in range(len(original)):
            changed = bytearray(original)
            changed[place] ^= 1
            other = copy.deepcopy(document)
            if name == "payload":
                other["payload"] = base64.b64encode(changed).decode()
            else:
                other["signatures"][0]["sig"] = base64.b64encode(changed).decode()
            try:
                Envelope.from_dict(other).verify([key], 1)
                accepted += 1
            except Exception:
                pass
    print(f"accepted after a change: {accepted} of {len(payload) + len(signature)}")
    sys.exit(1 if accepted else 0)


main(sys.argv[1])
