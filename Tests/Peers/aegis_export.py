"""Writes an encrypted export as Aegis does (its docs/vault.md), from a password and a Base32 secret on one line each."""

import base64
import json
import os
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

password, secret = sys.stdin.read().splitlines()


def seal(key, plaintext):
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, plaintext, None)
    return sealed[:-16], {"nonce": nonce.hex(), "tag": sealed[-16:].hex()}


entry = {
    "type": "totp",
    "uuid": "01234567-89ab-cdef-0123-456789abcdef",
    "name": "robin",
    "issuer": "Meridian Savings",
    "note": "",
    "info": {"secret": secret, "algo": "SHA1", "digits": 6, "period": 30},
}
master = os.urandom(32)
database, parameters = seal(master, json.dumps({"version": 3, "entries": [entry], "groups": []}).encode())
salt = os.urandom(32)
key, key_parameters = seal(Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(password.encode()), master)
slot = {
    "type": 1,
    "uuid": "fedcba98-7654-3210-fedc-ba9876543210",
    "key": key.hex(),
    "key_params": key_parameters,
    "n": 2**15,
    "r": 8,
    "p": 1,
    "salt": salt.hex(),
    "repaired": True,
}
header = {"slots": [slot], "params": parameters}
print(json.dumps({"version": 1, "header": header, "db": base64.b64encode(database).decode()}))
