"""A phone and a broker written from Sources/Protocol/DeviceTrust/README.md alone; speaks JSON lines.

The first argument is the file with the list of confirmation words.
"""
import base64
import hashlib
import hmac
import json
import re
import secrets
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

JSON = dict[str, Any]
Key = ec.EllipticCurvePrivateKey
HELLO = "device_id device_pubkey device_name device_ephemeral device_nonce"
OFFER = ("version session attempt server_id server_pubkey server_ephemeral server_share server_nonce tls_sha256 "
         "created_at expires_at")
ENVELOPE = "bank_id month year nonce issued_at approval_expires_at"
CHOICE = "device_id script verified_by lease_seconds"
URI = {"v": "version", "id": "server_id", "key": "server_pubkey", "code": "pairing_code", "session": "session",
       "at": "endpoint", "tls": "tls_sha256", "from": "created_at", "until": "expires_at"}
VERSION = {"pairing": "2", "rotation": "1"}
PROOF_OF_KEY = b"countersign pairing key 1\0"
KEYS = "device_pubkey device_ephemeral server_pubkey server_ephemeral"
SHARES = "device_share server_share"
TIMES = "created_at expires_at issued_at approval_expires_at"
NUMBERS = {"session": (1, 9999), "month": (1, 12), "year": (1, 9999), "lease_seconds": (0, 2**53 - 1)}
TEXTS = {name: pattern for names, pattern in {
    "version": "[12]", "status": "CLAIMED", "bank_id": "(?s:.+)", "pairing_code": "[0-9A-HJKMNP-TV-Z]{8}",
    "server_id device_id request_id": "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "attempt nonce device_nonce server_nonce": "[0-9a-f]{32}", "tls_sha256 script": "[0-9a-f]{64}",
    f"commitment code_proof broker_proof proof shared_secret {SHARES}": "[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]",
    "key_proof signature": "[A-Za-z0-9_-]{85}[AQgw]", KEYS: "[A-Za-z0-9_-]{86}[AEIMQUYcgkosw048]",
    TIMES: r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z",
    "device_name": r"(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,64}",
    "endpoint": r"https?://([0-9A-Za-z.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}",
}.items() for name in names.split()}


class Refused(Exception):
    """A refusal; its text becomes the error of the answer."""


def require(condition: Any, words: str) -> None:
    if not condition:
        raise Refused(words)


def jcs(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def milliseconds(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)


def check(name: str, value: Any) -> Any:
    if name == "hello":
        return message(value, HELLO)
    if name in NUMBERS:
        require(type(value) is int and NUMBERS[name][0] <= value <= NUMBERS[name][1], f"bad {name}")
    elif name == "verified_by":
        require(value in (["passkey"], ["passphrase"], ["passkey", "passphrase"]), f"bad {name}")
    elif name != "tls_sha256" or value is not None:
        require(isinstance(value, str) and re.fullmatch(TEXTS[name], value), f"bad {name}")
    if name in KEYS.split():
        public_key(value)
    if name in SHARES.split():
        require(point(decode(value)), f"bad {name}")
    if name in TIMES.split():
        milliseconds(value)
    return value


def message(value: Any, names: str) -> JSON:
    """Returns the object if it has exactly these members, all well formed."""
    require(isinstance(value, dict) and set(value) == set(names.split()), "wrong members")
    return {name: check(name, member) for name, member in value.items()}


def read_code(text: str) -> tuple[int, str]:
    match = re.fullmatch(r" *([1-9][0-9]{0,3})[ -]+([0-9A-Za-z -]+)", text)
    require(match, "bad code")
    code = re.sub("[ -]", "", match[2]).upper().translate(str.maketrans("ILO", "110"))
    return int(match[1]), check("pairing_code", code)


def check_period(times: JSON) -> None:
    length = milliseconds(times["expires_at"]) - milliseconds(times["created_at"])
    require(0 < length <= 300_000, "bad period")


def write_uri(values: JSON) -> str:
    given = ((short, values[name]) for short, name in URI.items() if values[name] is not None)
    return "countersign://pair?" + "&".join(f"{short}={quote(str(value), safe='')}" for short, value in given)


def read_uri(uri: str) -> JSON:
    require(uri.startswith("countersign://pair?"), "bad uri")
    parts = [part.split("=", 1) for part in uri.partition("?")[2].split("&")]
    values: JSON = {URI[part[0]]: unquote(part[1], errors="strict") for part in parts if part[0] in URI}
    require(len(values) == len(parts), "wrong members")
    require(re.fullmatch("[1-9][0-9]*", values.get("session", "")), "bad session")
    require(values.get("version") == "1", "another version")
    values["session"] = int(values["session"])
    message(values, " ".join(name for name in URI.values() if name != "tls_sha256" or name in values))
    check_period(values)
    return values


def now(command: JSON) -> int:
    return milliseconds(command["now"]) if "now" in command else time.time_ns() // 1_000_000


def nonce(command: JSON, name: str) -> str:
    return check(name, command[name]) if name in command else secrets.token_hex(16)


def key(command: JSON, name: str) -> Key:
    if name in command:
        return ec.derive_private_key(int(command[name], 16), ec.SECP256R1())
    return ec.generate_private_key(ec.SECP256R1())


def public(private: Key) -> str:
    return encode(private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def public_key(text: str) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(text))


def ecdh(private: Key, other: str) -> bytes:
    return private.exchange(ec.ECDH(), public_key(other))


def point(x: bytes) -> ec.EllipticCurvePublicKey | None:
    """Returns the point with this x coordinate and an even y; None when there is none."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\2" + x)
    except ValueError:
        return None


def generator(session: int, code: str) -> ec.EllipticCurvePublicKey:
    start = f"countersign pairing point 1\0{session}\0{code}".encode()
    return next(found for number in range(64) if (found := point(sha256(start + bytes([number])))))


def share(scalar: Key, session: int, code: str) -> str:
    return encode(scalar.exchange(ec.ECDH(), generator(session, code)))


def agree(scalar: Key, other: str) -> bytes:
    found = point(decode(other))
    require(found, "bad share")
    return scalar.exchange(ec.ECDH(), found)


def sign(private: Key, data: bytes) -> str:
    pair = decode_dss_signature(private.sign(data, ec.ECDSA(hashes.SHA256())))
    return encode(b"".join(part.to_bytes(32, "big") for part in pair))


def is_signed(signer: str, signature: str, data: bytes) -> bool:
    raw = decode(signature)
    pair = int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    try:
        public_key(signer).verify(encode_dss_signature(*pair), data, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


@dataclass(frozen=True)
class Derived:
    """The values that both sides derive from one exchange."""
    purpose: str
    ikm: bytes
    salt: bytes
    """The transcript, which proofs are over."""
    share: str = ""
    """The phone's share in a pairing."""

    def key(self, label: str) -> bytes:
        pairs = self.purpose == "pairing"
        salt = sha256(self.salt + self.share.encode()) if pairs else self.salt
        info = f"countersign {self.purpose} {VERSION[self.purpose]} {label}"
        return HKDF(hashes.SHA256(), 32, salt, info.encode()).derive(self.ikm)

    def proof(self, label: str, prefix: bytes = b"") -> str:
        return encode(hmac.digest(self.key(label), prefix + self.salt, "sha256"))

    def check(self, proof: str, label: str, prefix: bytes = b"") -> None:
        require(hmac.compare_digest(proof, self.proof(label, prefix)), f"wrong {label}")

    def kept(self) -> JSON:
        return {"shared_secret": encode(self.key("shared secret")), "token": "cs1." + encode(self.key("device token"))}

    def words(self) -> str:
        return " ".join(WORDS[byte] for byte in sha256(b"countersign pairing words 1\0" + self.salt)[:4])


def derive(purpose: str, ikm: bytes, share: str = "", **transcript: Any) -> Derived:
    content = {**transcript, "purpose": f"countersign {purpose}", "version": VERSION[purpose]}
    return Derived(purpose, ikm, sha256(jcs(content)), share)


def challenge(command: JSON, approval: JSON) -> tuple[bytes, bytes]:
    """Returns the 72 bytes to sign and the canonical summary."""
    members = {**message(command["envelope"], ENVELOPE), **{name: approval[name] for name in CHOICE.split()}}
    params = {name: members.pop(name) for name in ("month", "year")}
    content = jcs({**members, "params": params, "version": "1", "purpose": "countersign approval",
                   "decision": "APPROVE", "type": "statement"})
    ids = b"".join(uuid.UUID(check(name, command[name])).bytes for name in ("server_id", "request_id"))
    return ids + sha256(content) + milliseconds(members["approval_expires_at"]).to_bytes(8, "big"), content


class Phone:
    """Each method is a command; keys and nonces are fresh unless the command gives them."""

    def begin(self, command: JSON) -> JSON:
        vars(self).clear()  # forget any earlier pairing
        self.session, self.code = read_code(command["code"])
        self.device_id = command.get("device_id") or str(uuid.uuid4())
        self.key, self.ephemeral = key(command, "device_key"), key(command, "device_ephemeral_key")
        self.scalar = key(command, "device_share_key")
        self.hello = message({"device_id": self.device_id, "device_pubkey": public(self.key),
                              "device_name": command["name"], "device_ephemeral": public(self.ephemeral),
                              "device_nonce": nonce(command, "device_nonce")}, HELLO)
        return {"begin": {"version": VERSION["pairing"], "commitment": encode(sha256(jcs(self.hello)))}}

    def claim(self, command: JSON) -> JSON:
        offer = message(command["offer"], OFFER)
        require(offer["version"] == VERSION["pairing"], "another version")
        check_period(offer)
        require(offer["session"] == self.session, "another session")
        start, end = milliseconds(offer["created_at"]), milliseconds(offer["expires_at"])
        require(start - 60_000 <= now(command) <= end, "not now")
        z = ecdh(self.ephemeral, offer["server_ephemeral"]) + ecdh(self.ephemeral, offer["server_pubkey"])
        mine = share(self.scalar, self.session, self.code)
        z += agree(self.scalar, offer["server_share"])
        self.derived = derive("pairing", z + self.code.encode(), mine, hello=self.hello, offer=offer)
        self.attempt = offer["attempt"]
        claim = {"attempt": self.attempt, "hello": self.hello, "device_share": mine,
                 "code_proof": self.derived.proof("phone proof"), "key_proof": sign(self.key, PROOF_OF_KEY + self.derived.salt)}
        return {"claim": claim, "words": self.derived.words()}

    def finish(self, command: JSON) -> JSON:
        self.derived.check(message(command["answer"], "broker_proof status")["broker_proof"], "broker proof")
        self.secret = self.derived.kept()["shared_secret"]
        finish = {"attempt": self.attempt, "proof": self.derived.proof("phone proof", b"finish\0")}
        return {"finish": finish, **self.derived.kept(), "device_id": self.device_id}

    def approve(self, command: JSON) -> JSON:
        choice = message({"device_id": self.device_id, "verified_by": sorted(command["verified_by"]),
                          "script": command["script"], "lease_seconds": command["lease_seconds"]}, CHOICE)
        return {"approval": {**choice, "signature": sign(self.key, challenge(command, choice)[0])}}

    def rotate(self, command: JSON) -> JSON:
        self.ephemeral = key(command, "device_ephemeral_key")
        self.device = {"device_ephemeral": public(self.ephemeral), "nonce": nonce(command, "device_nonce")}
        return {"message": self.device}

    def rotated(self, command: JSON) -> JSON:
        server = message(command["answer"], "server_ephemeral nonce proof")
        proof, ikm = server.pop("proof"), ecdh(self.ephemeral, server["server_ephemeral"]) + self.secret.encode()
        derived = derive("rotation", ikm, device=self.device, device_id=self.device_id, server=server)
        derived.check(proof, "broker proof")
        self.secret = derived.kept()["shared_secret"]
        return derived.kept()


class Broker:
    """Each method is a command; keys and nonces are fresh unless the command gives them."""

    def open(self, command: JSON) -> JSON:
        session, self.code = read_code(command["code"])
        require(session == command["session"], "another session")
        check_period(command)
        self.key, server_id = key(command, "server_key"), command.get("server_id") or str(uuid.uuid4())
        identity = {"server_id": server_id, "server_pubkey": public(self.key)}
        self.fixed = {"version": VERSION["pairing"], "session": session, **identity,
                      **{name: check(name, command[name]) for name in ("tls_sha256", "created_at", "expires_at")}}
        self.begun: dict[str, tuple[str, JSON, Key, Key]] = {}
        self.claimed: dict[str, Derived] = {}
        self.wrong_codes = 0
        return identity

    def check_open(self, command: JSON) -> None:
        in_time = now(command) <= milliseconds(self.fixed["expires_at"])
        require(in_time and not self.claimed and self.wrong_codes < 5, "session over")

    def begin(self, command: JSON) -> JSON:
        self.check_open(command)
        ephemeral, attempt = key(command, "server_ephemeral_key"), nonce(command, "attempt")
        scalar = key(command, "server_share_key")
        offer = {**self.fixed, "attempt": attempt, "server_ephemeral": public(ephemeral),
                 "server_share": share(scalar, self.fixed["session"], self.code), "server_nonce": nonce(command, "server_nonce")}
        begin = message(command["begin"], "version commitment")
        require(begin["version"] == VERSION["pairing"], "another version")
        self.begun[attempt] = begin["commitment"], offer, ephemeral, scalar
        return {"offer": offer}

    def claim(self, command: JSON) -> JSON:
        self.check_open(command)
        claim = message(command["claim"], "attempt hello device_share code_proof key_proof")
        attempt, hello = claim["attempt"], claim["hello"]
        require(attempt in self.begun, "unknown attempt")
        commitment, offer, ephemeral, scalar = self.begun[attempt]
        require(encode(sha256(jcs(hello))) == commitment, "wrong commitment")
        z = ecdh(ephemeral, hello["device_ephemeral"]) + ecdh(self.key, hello["device_ephemeral"])
        z += agree(scalar, claim["device_share"])
        derived = derive("pairing", z + self.code.encode(), claim["device_share"], hello=hello, offer=offer)
        self.wrong_codes += 1
        derived.check(claim["code_proof"], "phone proof")
        self.wrong_codes -= 1
        require(is_signed(hello["device_pubkey"], claim["key_proof"], PROOF_OF_KEY + derived.salt), "wrong key proof")
        self.claimed[attempt] = derived
        return {"answer": {"broker_proof": derived.proof("broker proof"), "status": "CLAIMED"},
                "words": derived.words(), **derived.kept(), "device_pubkey": hello["device_pubkey"]}

    def finish(self, command: JSON) -> JSON:
        finish = message(command["finish"], "attempt proof")
        require(finish["attempt"] in self.claimed, "unknown attempt")
        self.claimed[finish["attempt"]].check(finish["proof"], "phone proof", b"finish\0")
        return {"status": "DONE"}

    def verify(self, command: JSON) -> JSON:
        try:
            approval = message(command["approval"], CHOICE + " signature")
        except Refused:
            return {"valid": False}
        data, _ = challenge(command, approval)
        return {"valid": is_signed(check("device_pubkey", command["device_pubkey"]), approval["signature"], data)}

    def rotate(self, command: JSON) -> JSON:
        device_id, ephemeral = check("device_id", command["device_id"]), key(command, "server_ephemeral_key")
        device = message(command["message"], "device_ephemeral nonce")
        server = {"server_ephemeral": public(ephemeral), "nonce": nonce(command, "server_nonce")}
        ikm = ecdh(ephemeral, device["device_ephemeral"]) + check("shared_secret", command["shared_secret"]).encode()
        derived = derive("rotation", ikm, device=device, device_id=device_id, server=server)
        return {"answer": {**server, "proof": derived.proof("broker proof")}, **derived.kept()}


def pairing(command: JSON) -> JSON:
    phone, broker, given = Phone(), Broker(), command["given"]
    session, code = read_code(given["code"])
    given = {**given, "name": given["device_name"], "session": session, "now": given["created_at"]}
    broker.open(given)
    results = phone.begin(given)
    results |= broker.begin({**given, **results})
    results |= phone.claim({**given, **results})
    results |= broker.claim({**given, **results})
    results |= phone.finish(results)
    uri = write_uri({**results["offer"], "version": "1", "pairing_code": code, "endpoint": given["endpoint"]})
    names = "begin offer claim answer words finish shared_secret token".split()
    return {"uri": uri, "transcript": phone.derived.salt.hex(), **{name: results[name] for name in names}}


def rotation(command: JSON) -> JSON:
    phone, given = Phone(), command["given"]
    phone.device_id, phone.secret = given["device_id"], given["shared_secret"]
    device = phone.rotate(given)
    answer = Broker().rotate({**given, **device})
    return {**device, "answer": answer["answer"], **phone.rotated(answer)}


def approval(command: JSON) -> JSON:
    phone, given = Phone(), {"verified_by": ["passkey", "passphrase"], **command["given"]}
    phone.device_id, phone.key = given["device_id"], key(given, "device_key")
    given["envelope"] = {name: given[name] for name in ENVELOPE.split()}
    made = phone.approve(given)
    data, content = challenge(given, made["approval"])
    return {**made, "challenge": data.hex(), "device_pubkey": public(phone.key), "summary": content.decode()}


def distinct(pairs: list[tuple[str, Any]]) -> JSON:
    require(len(dict(pairs)) == len(pairs), "a name twice")
    return dict(pairs)


def reply(commands: dict[str, Callable[[JSON], JSON]], line: bytes) -> JSON:
    try:
        command = json.loads(line, object_pairs_hook=distinct)
        require(command["do"] in commands, "unknown command")
        return commands[command["do"]](command)
    except Refused as refusal:
        return {"error": str(refusal)}
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return {"error": "malformed"}


def main() -> None:
    phone, broker = Phone(), Broker()
    sides = {"phone begin claim finish approve rotate rotated": phone,
             "broker open begin claim finish verify rotate": broker}
    commands = {f"{names.split()[0]} {name}": getattr(side, name) for names, side in sides.items()
                for name in names.split()[1:]}
    commands |= {"pairing": pairing, "rotation": rotation, "approval": approval,
                 "uri": lambda command: read_uri(command["uri"])}
    for line in sys.stdin.buffer:
        print(json.dumps(reply(commands, line)), flush=True)


if __name__ == "__main__":
    WORDS = Path(sys.argv[1]).read_text(encoding="utf-8").split('"""')[1].split()
    require(len(WORDS) == 256, "not 256 words")
    main()
