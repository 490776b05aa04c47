"""Reads a private key and tokens that it signed as JSON, and says how many two libraries verify."""

import json
import sys

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from joserfc import jwt as other
from joserfc.jwk import ECKey, OKPKey, RSAKey

given = json.load(sys.stdin)
public = load_pem_private_key(given["key"].encode(), None).public_key()
pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
kind = {"RS256": RSAKey, "ES256": ECKey, "EdDSA": OKPKey}[given["algorithm"]]
counts = [0, 0]
for number, token in enumerate(given["tokens"]):
    claims = jwt.decode(token, pem, algorithms=[given["algorithm"]])
    assert jwt.get_unverified_header(token)["kid"] == f"key {number}"
    counts[0] += claims["n"] == number and claims["iss"] == "Zoë & sons"
    decoded = other.decode(token, kind.import_key(pem), algorithms=[given["algorithm"]])
    counts[1] += decoded.claims["n"] == number
print(f"{counts[0]} by PyJWT, {counts[1]} by joserfc")
