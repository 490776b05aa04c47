"""A software authenticator from PyPI against the approval page: registers, signs in and approves, and then sends every
answer again with each of its bits changed in turn.

Reads a JSON object with origin, passphrase, request, script, two codes that open the page, and codes that each add a
passkey; writes one with what was accepted and refused.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import sys
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from soft_webauthn import SoftWebauthnDevice

task = json.load(sys.stdin)
origin = task["origin"]
USER_PRESENT, USER_VERIFIED = 0x01, 0x04


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Verifying(SoftWebauthnDevice):
    """The device, with a user that it verifies and a pseudo-random function, which it has neither of."""

    def __init__(self):
        super().__init__()
        self.prf_key = os.urandom(32)

    def create(self, options, origin):
        made = super().create(options, origin)
        attestation = cbor.decode(made["response"]["attestationObject"])
        data = bytearray(attestation["authData"])
        data[32] |= USER_VERIFIED
        attestation["authData"] = bytes(data)
        made["response"]["attestationObject"] = cbor.encode(attestation)
        return made

    def get(self, options, origin):
        made = super().get(options, origin)
        response = made["response"]
        data = bytearray(response["authenticatorData"])
        data[32] |= USER_VERIFIED
        response["authenticatorData"] = bytes(data)
        signed = bytes(data) + hashlib.sha256(response["clientDataJSON"]).digest()
        response["signature"] = self.private_key.sign(signed, ec.ECDSA(hashes.SHA256()))
        return made

    def prf(self, prf_input):
        return hmac.new(self.prf_key, prf_input, hashlib.sha256).digest()


class Page:
    def __init__(self):
        parts = urllib.parse.urlsplit(origin)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port)
        self.cookie = ""
        self.csrf = ""
        self.base = ""
        form = urllib.parse.urlencode({"code": task["open_codes"].pop()})
        self.send("POST", "/", form, "application/x-www-form-urlencoded")
        self.read_token()

    def send(self, method, path, body=None, kind="application/json"):
        headers = {"Origin": origin, "Cookie": self.cookie, "X-CSRF-Token": self.csrf}
        if body is not None:
            headers["Content-Type"] = kind
        self.connection.request(method, self.base + path, body, headers)
        response = self.connection.getresponse()
        if not self.base and response.status == 303:
            self.base = response.getheader("Location").rstrip("/")
        if cookie := response.getheader("Set-Cookie"):
            self.cookie = cookie.split(";")[0]
        body = response.read()
        if response.getheader("Connection", "").lower() == "close":
            self.connection.close()
        return response.status, body

    def post(self, path, value):
        status, body = self.send("POST", path, json.dumps(value))
        return status, json.loads(body) if body else None

    def sign_in(self):
        form = urllib.parse.urlencode({"csrf": self.csrf, "passphrase": task["passphrase"]})
        self.send("POST", "/sign-in", form, "application/x-www-form-urlencoded")
        self.read_token()

    def read_token(self):
        _, page = self.send("GET", "/")
        self.csrf = page.decode().split('data-csrf="')[1].split('"')[0]


def assertion(device, challenge, prf_input):
    made = device.get({"publicKey": {"rpId": "localhost", "challenge": decode(challenge)}}, origin)
    response = made["response"]
    return {
        "id": encode(made["rawId"]),
        "clientDataJSON": encode(response["clientDataJSON"]),
        "authenticatorData": encode(response["authenticatorData"]),
        "signature": encode(response["signature"]),
        "prf": encode(device.prf(decode(prf_input))),
    }


def registration(page, device):
    _, options = page.post("/passkeys/begin", {})
    options["challenge"] = decode(options["challenge"])
    options["user"]["id"] = decode(options["user"]["id"])
    made = device.create({"publicKey": options}, origin)
    return {
        "name": "Soft passkey",
        "passphrase": task["passphrase"],
        "code": task["passkey_codes"][-1],
        "registration": {name: encode(made["response"][name]) for name in ("clientDataJSON", "attestationObject")},
        "proof": assertion(device, options["proofChallenge"], options["prfInput"]),
    }


def flipped(text, bit):
    data = bytearray(decode(text))
    data[bit // 8] ^= 1 << (bit % 8)
    return encode(bytes(data))


def main():
    page = Page()
    page.sign_in()
    result = {"refused": 0, "accepted": []}

    # Registration: every bit of both parts.
    for part in ("clientDataJSON", "attestationObject"):
        length = len(decode(registration(page, Verifying())["registration"][part]))
        for bit in range(length * 8):
            body = registration(page, Verifying())
            whole = decode(body["registration"][part])
            if bit // 8 >= len(whole):
                continue
            # Nothing authenticates the model's 16 bytes, so each change there adds a passkey: a few are enough.
            model = whole.find(hashlib.sha256(b"localhost").digest()) + 37
            if part == "attestationObject" and model <= bit // 8 < model + 16 and bit % 16 != 0:
                continue
            body["registration"][part] = flipped(body["registration"][part], bit)
            status, answer = page.post("/passkeys", body)
            if status == 403:
                if "CONSENT" in json.dumps(answer).upper() or "code from the terminal" in json.dumps(answer):
                    raise SystemExit(f"refused for want of a code, not for the changed bit: {answer}")
                result["refused"] += 1
            else:
                task["passkey_codes"].pop()
                result["accepted"].append([part, bit // 8, bit % 8])

    device = Verifying()
    result["registered"] = page.post("/passkeys", registration(page, device))[0]

    another = Page()
    _, options = another.post("/sign-in/passkey/begin", {})
    answer = assertion(device, options["challenge"], options["prf"][encode(device.credential_id)])
    result["signed_in"] = another.post("/sign-in/passkey", {"assertion": answer})[0]

    path = f"/requests/{task['request']}/approve/passkey"
    script = {"script": task["script"]}

    def approval():
        _, options = page.post(path + "/begin", script)
        return assertion(device, options["challenge"], options["prf"][encode(device.credential_id)])

    for part in ("id", "clientDataJSON", "authenticatorData", "signature", "prf"):
        for bit in range(len(decode(approval()[part])) * 8):
            answer = approval()
            if bit // 8 >= len(decode(answer[part])):
                continue
            answer[part] = flipped(answer[part], bit)
            status, _ = page.post(path, script | {"assertion": answer})
            if status == 403:
                result["refused"] += 1
            else:
                result["accepted"].append([part, bit // 8, bit % 8])
    result["approved"] = page.post(path, script | {"assertion": approval()})[0]
    json.dump(result, sys.stdout)


main()
