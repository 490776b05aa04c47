"""Decrypts a push message with http_ece, and verifies its token with py_vapid.

    web_push.py BODY PRIVATE_KEY AUTH AUTHORIZATION ORIGIN      all but the last two in base64url
"""

import base64
import json
import sys
import time

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


body, private, auth, authorization, origin = sys.argv[1:]
key = ec.derive_private_key(int.from_bytes(decode(private), "big"), ec.SECP256R1())
plain = http_ece.decrypt(decode(body), private_key=key, auth_secret=decode(auth), version="aes128gcm")
# http_ece takes the padding off, up to the delimiter.
print("message", plain.decode())

scheme, parameters = authorization.split(" ", 1)
assert scheme == "vapid", scheme
values = dict(part.strip().split("=", 1) for part in parameters.split(","))
assert Vapid02.verify(authorization), "the signature does not hold"
claims = json.loads(decode(values["t"].split(".")[1]))
assert time.time() < claims["exp"] <= time.time() + 24 * 3600, claims
print("token", claims["sub"], claims["aud"])
