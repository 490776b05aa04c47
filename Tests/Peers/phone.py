"""A phone written from the published pages alone: docs/specification/{phone,documents,secure-data-fetcher}.md, and
Sources/Protocol/DeviceTrust/README.md for the pairing (device_trust.py). Speaks JSON lines.

The first argument is the file with the list of confirmation words.
"""
import calendar
import hashlib
import hmac
import http.client
import json
import os
import re
import secrets
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import device_trust
from device_trust import JSON, encode, jcs, milliseconds, require, sha256, sign

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
KINDS = {  # kind: (ending, media type); documents.md, section 1
    "pdf": ("pdf", "application/pdf"), "csv": ("csv", "text/csv"), "ofx": ("ofx", "application/x-ofx"),
    "camt": ("xml", "application/xml"), "mt940": ("sta", "text/plain"), "qif": ("qif", "application/x-qif"),
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "html": ("html", "text/html"),
}
REQUIRED = {"version", "request_id", "type", "bank_id", "params", "issued_at", "approval_expires_at", "nonce",
            "signature"}
AGENT = r"[a-z0-9][a-z0-9._-]{0,39}"


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Connection:
    """One connection to the broker, on which it has proved that it knows the token (phone.md, section 1)."""

    def __init__(self, url: str, token: str | None):
        parts = urlsplit(url)
        require(parts.scheme == "http" and parts.hostname and parts.port, "only plain HTTP on one machine")
        self.http = http.client.HTTPConnection(parts.hostname, parts.port, timeout=90)
        self.token = None
        if token:
            self.prove(token)
            self.token = token

    def prove(self, token: str) -> None:
        digest, nonce = sha256(token.encode()), secrets.token_hex(16)
        name = hmac.digest(digest, b"countersign token name 1", "sha256")[:16]
        status, answer = self.send("POST", "/proof", {"token_id": encode(name), "nonce": nonce})
        require(status == 200, f"no proof: {answer}")
        ends = {"address": self.written(self.http.sock.getpeername()), "client": self.written(self.http.sock.getsockname())}
        require({name: answer[name] for name in ends} == ends, "the proof is of another connection")
        proof = hmac.digest(digest, jcs({**ends, "nonce": nonce, "purpose": "countersign broker proof"}), "sha256")
        require(hmac.compare_digest(answer["proof"], encode(proof)), "wrong proof")

    @staticmethod
    def written(end: tuple[Any, ...]) -> str:
        return f"[{end[0]}]:{end[1]}" if ":" in end[0] else f"{end[0]}:{end[1]}"

    def send(self, method: str, path: str, body: JSON | None = None) -> tuple[int, JSON]:
        headers = {"Content-Type": "application/json"}
        if self.token:
            require(self.http.sock is not None, "the connection was closed, and the proof with it")
            headers["Authorization"] = f"Bearer {self.token}"
        self.http.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.http.getresponse()
        return answer.status, json.loads(answer.read())


def days_of(params: JSON, period: str) -> tuple[str, str] | None:
    """The days of a month that is cut; None for a whole one (documents.md, section 3)."""
    first, last = f"{period}-01", f"{period}-{calendar.monthrange(int(period[:4]), int(period[5:]))[1]}"
    start = params.get("from", first) if period == params["periods"][0] else first
    end = params.get("to", last) if period == params["periods"][-1] else last
    return None if (start, end) == (first, last) else (start, end)


def places(params: JSON) -> list[JSON]:
    """The documents of an envelope in its order, each as in "except"; a statement is one PDF of one month."""
    if "periods" not in params:
        return [{"kind": "pdf", "period": f"{params['year']:04}-{params['month']:02}"}]
    found = []
    for account in params.get("accounts", [None]):
        for period in params["periods"]:
            for kind in params["kinds"]:
                place = {"kind": kind, "period": period}
                if account is not None:
                    place["account"] = account
                if days := days_of(params, period):
                    place["from"], place["to"] = days
                if place not in params.get("except", []):
                    found.append(place)
    return found


def document_id(bank: str, place: JSON) -> str:
    return sha256(jcs({**place, "bank_id": bank}))[:16].hex()


class Phone:
    """Each method is a command."""

    def __init__(self) -> None:
        self.trust = device_trust.Phone()
        self.nonces: dict[str, str] = {}
        self.envelopes: dict[str, JSON] = {}

    # Pairing

    def pair(self, command: JSON) -> JSON:
        self.url, self.inbox = command["url"], Path(command["inbox"])
        begun = self.trust.begin({"code": command["code"], "name": command["name"]})
        self.pairing = Connection(self.url, None)
        path = f"/pairing/{self.trust.session}"
        offer = self.exchange(self.pairing, f"{path}/begin", begun["begin"])
        claim = self.trust.claim({"offer": offer})
        self.server_id = offer["server_id"]
        answer = self.exchange(self.pairing, f"{path}/claim", claim["claim"])
        finished = self.trust.finish({"answer": answer})
        self.finish = f"{path}/finish", finished["finish"]
        self.token = finished["token"]
        return {"words": claim["words"], "device_id": finished["device_id"]}

    def finished(self, command: JSON) -> JSON:
        answer = self.exchange(self.pairing, *self.finish)
        require(answer["status"] == "DONE" and answer["device_id"] == self.trust.device_id, "not paired")
        self.connect()
        nonce = secrets.token_hex(16)
        mine = self.code({"nonce": nonce, "side": "phone"})
        answer = self.exchange(self.broker, "/phone/check", {"nonce": nonce, "signature": mine})
        require(hmac.compare_digest(answer["signature"], self.code({"nonce": nonce, "side": "broker"})), "other secret")
        return {}

    def rotate(self, command: JSON) -> JSON:
        answer = self.exchange(self.broker, "/phone/device/rotate", self.trust.rotate({})["message"])
        self.token = self.trust.rotated({"answer": answer})["token"]
        self.connect()
        return {}

    def connect(self) -> None:
        self.broker = Connection(self.url, self.token)

    @staticmethod
    def exchange(connection: Connection, path: str, body: JSON, method: str = "POST") -> JSON:
        status, answer = connection.send(method, path, body)
        require(status == 200, f"{status} {answer.get('error_code')}: {answer.get('error_message')}")
        return answer

    def code(self, message: JSON) -> str:
        return encode(hmac.digest(self.trust.secret.encode(), jcs(message), "sha256"))

    # Requests

    def banks(self, command: JSON) -> JSON:
        return self.exchange(self.broker, "/phone/banks", {"banks": command["banks"]}, "PUT")

    def pending(self, command: JSON) -> JSON:
        status, answer = self.broker.send("GET", "/phone/requests/pending")
        require(status == 200, f"{status}")
        if answer.get("rotation_requested"):
            self.rotate({})
        listed = []
        for entry in answer["requests"]:
            envelope = self.verified(entry["envelope"])
            listed.append({**{name: envelope[name] for name in ("request_id", "type", "bank_id", "params")},
                           "client": envelope.get("client"), "reason": envelope.get("reason"), "requirement": entry["requirement"],
                           "kinds": [place["kind"] for place in places(envelope["params"])],
                           "also_asked_by": entry.get("also_asked_by", [])})
        return {"requests": listed}

    def verified(self, envelope: JSON) -> JSON:
        signature = envelope["signature"]
        unsigned = {name: value for name, value in envelope.items() if name != "signature"}
        require(hmac.compare_digest(signature, self.code(unsigned)), "the signature is invalid")
        kind, reason = envelope["type"], envelope.get("reason", "x")
        require(kind in ("statement", "documents"), "unknown type")
        require(envelope["version"] == ("2" if kind == "documents" or "reason" in envelope else "1"), "unknown version")
        require(REQUIRED <= set(envelope) <= REQUIRED | {"client", "reason"}, "other members")
        require(re.fullmatch(AGENT, envelope.get("client", "x")), "bad client")
        require(isinstance(reason, str) and 1 <= len(reason) <= 200, "bad reason")
        params = envelope["params"]
        if kind == "statement":
            require(set(params) == {"month", "year"} and params["month"] in range(1, 13), "bad params")
        else:
            require({"kinds", "periods"} <= set(params) <= {"kinds", "periods", "accounts", "except", "from", "to"}, "bad params")
            require(1 <= len(places(params)) <= 120, "bad params")
        issued, expires = (milliseconds(envelope[name]) for name in ("issued_at", "approval_expires_at"))
        require(issued <= milliseconds(now()) + 60_000, "from the future")
        require(expires > milliseconds(now()), "expired")
        request = self.nonces.setdefault(envelope["nonce"], envelope["request_id"])
        require(request == envelope["request_id"], "a nonce twice")
        require(self.envelopes.setdefault(request, envelope) == envelope, "a request twice")
        return envelope

    def decide(self, command: JSON) -> JSON:
        body = {"decision": command["decision"], "decided_at": now(), "decision_id": secrets.token_hex(16)}
        if command["decision"] == "APPROVE":
            body["approval"] = self.approval(self.envelopes[command["request_id"]], command)
        status, answer = self.broker.send("POST", f"/phone/requests/{command['request_id']}/decision", body)
        return {"status": status, "answer": answer}

    def approval(self, envelope: JSON, command: JSON) -> JSON:
        choice = {"device_id": self.trust.device_id, "script": command["script"], "lease_seconds": 0,
                  "verified_by": sorted(command["verified_by"])}
        summary = {name: value for name, value in envelope.items() if name not in ("request_id", "signature", "reason")}
        # The version follows the type, and not the envelope's version: a statement with a reason has version 2.
        version = "1" if envelope["type"] == "statement" else "2"
        summary |= choice | {"version": version, "purpose": "countersign approval", "decision": "APPROVE"}
        ids = b"".join(uuid.UUID(text).bytes for text in (self.server_id, envelope["request_id"]))
        end = milliseconds(envelope["approval_expires_at"]).to_bytes(8, "big")
        if version == "2":
            choice["version"] = version
        return {**choice, "signature": sign(self.trust.key, ids + sha256(jcs(summary)) + end)}

    # The run

    def started(self, command: JSON) -> JSON:
        return self.exchange(self.broker, f"/phone/requests/{command['request_id']}/started", {"started_at": now()})

    def failed(self, command: JSON) -> JSON:
        body = {"error_code": command["error_code"], "error_message": command["message"], "failed_at": now()}
        return self.exchange(self.broker, f"/phone/requests/{command['request_id']}/failure", body)

    def deliver(self, command: JSON) -> JSON:
        """Delivers `files`, one for each document in the envelope's order; null for one that is missing."""
        envelope = self.envelopes[command["request_id"]]
        request, params = envelope["request_id"], envelope["params"]
        if envelope["type"] == "statement":
            stem = f"{request}-{MONTHS[params['month'] - 1]}-{params['year']}"
            described = self.file(f"{stem}.pdf", command["files"][0])
            self.manifest(f"{stem}.manifest.json", {"version": "1", "request_id": request, **described})
            return {"documents": 1}
        wanted, entries = places(params), []
        require(len(wanted) == len(command["files"]), f"{len(wanted)} documents")
        for number, (place, text) in enumerate(zip(wanted, command["files"]), 1):
            entry = {"document_id": document_id(envelope["bank_id"], place)}
            entries.append(entry)
            if text is None:
                entry |= {"error_code": "NAVIGATION_FAILED", "error_message": "no such month"}
                continue
            ending, media = KINDS[place["kind"]]
            stem = f"{request}-{entry['document_id']}"
            described = self.file(f"{stem}.{ending}", text)
            entry["sha256"] = described["sha256"]
            name = stem if place["kind"] == "pdf" else f"{stem}.{ending}"
            self.manifest(f"{name}.manifest.json", {
                "version": "2", "request_id": request, **entry, **place, "number": number, "of": len(wanted),
                "media_type": media, **described})
        self.manifest(f"{request}.closing.json", {
            "version": "2", "type": "closing", "request_id": request, "documents": entries})
        return {"documents": sum("sha256" in entry for entry in entries)}

    def file(self, name: str, text: str) -> JSON:
        data = text.encode()
        self.write(name, data)
        return {"filename": name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    def manifest(self, name: str, message: JSON) -> None:
        message = {**message, "completed_at": now(), "nonce": secrets.token_hex(16)}
        self.write(name, jcs({**message, "signature": self.code(message)}))

    def write(self, name: str, data: bytes) -> None:
        unfinished = self.inbox / f"{name}.tmp"
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self.inbox / name)


def main() -> None:
    device_trust.WORDS = Path(sys.argv[1]).read_text(encoding="utf-8").split('"""')[1].split()
    phone = Phone()
    names = "pair finished rotate banks pending decide started failed deliver".split()
    commands = {name: getattr(phone, name) for name in names}
    for line in sys.stdin.buffer:
        print(json.dumps(device_trust.reply(commands, line)), flush=True)


if __name__ == "__main__":
    main()
