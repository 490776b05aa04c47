"""The reference implementation of TUF as the author, and as the reader, of a collection of scripts.

make FOLDER: writes metadata/ and targets/ with tuf's metadata API, signed with Ed25519 and ECDSA keys, two of which the
root needs, and with a list that the top list trusts for some paths. Prints the SHA-256 of the first root.

next FOLDER: writes the next root, with another timestamp key, and the next version of the lists.

read FOLDER ROOT PATH…: serves FOLDER on a free port of this machine, updates from it with tuf's client, which trusts ROOT, and
prints the SHA-256 of each path as JSON.
"""
import datetime
import functools
import hashlib
import http.server
import json
import pathlib
import pickle
import sys
import tempfile
import threading

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole,
    Delegations,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    TargetFile,
    Targets,
    Timestamp,
)
from tuf.api.serialization.json import JSONSerializer
from tuf.ngclient import Updater
from tuf.ngclient.config import UpdaterConfig

EXPIRES = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(days=30)
SCRIPT = b"bank: east\nname: Eastern Bank\norigins: [https://east.example]\nsteps:\n  - open: /\n"
FILES = {"east.yaml": SCRIPT, "pl/west.yaml": SCRIPT.replace(b"east", b"west")}


class Author:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.state = self.folder.parent / "author.pickle"
        self.keys = None

    def load(self):
        pems, versions = pickle.loads(self.state.read_bytes())
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        self.keys = {role: [CryptoSigner(load_pem_private_key(pem, None)) for pem in list_] for role, list_ in pems.items()}
        return versions

    def save(self, versions):
        self.state.write_bytes(
            pickle.dumps(({role: [s.private_bytes for s in list_] for role, list_ in self.keys.items()}, versions))
        )

    def new_keys(self):
        self.keys = {
            "root": [CryptoSigner.generate_ed25519(), CryptoSigner.generate_ecdsa(), CryptoSigner.generate_ed25519()],
            "targets": [CryptoSigner.generate_ecdsa()],
            "snapshot": [CryptoSigner.generate_ed25519()],
            "timestamp": [CryptoSigner.generate_ecdsa()],
            "polish": [CryptoSigner.generate_ed25519()],
        }

    def write(self, metadata, name, signers):
        for number, signer in enumerate(signers):
            metadata.sign(signer, append=number > 0)
        place = self.folder / "metadata" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        # With spaces, as the reference implementation writes files by default: only the canonical form is signed.
        metadata.to_file(str(place), JSONSerializer(compact=False))
        return place.read_bytes()

    def root(self, version, previous=()):
        root = Root(version=version, expires=EXPIRES, consistent_snapshot=True)
        for role in ("root", "targets", "snapshot", "timestamp"):
            for signer in self.keys[role]:
                root.add_key(signer.public_key, role)
        root.roles["root"].threshold = 2
        signers = {signer.public_key.keyid: signer for signer in [*self.keys["root"][:2], *previous]}
        return self.write(Metadata(root), f"{version}.root.json", list(signers.values()))

    def lists(self, version, files):
        def target(path, content):
            digest = hashlib.sha256(content).hexdigest()
            place = self.folder / "targets" / pathlib.Path(path).parent / f"{digest}.{pathlib.Path(path).name}"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            return TargetFile.from_data(path, content, ["sha256"])

        def facts(version, content):
            return MetaFile(version, len(content), {"sha256": hashlib.sha256(content).hexdigest()})

        polish = Targets(version=version, expires=EXPIRES)
        top = Targets(version=version, expires=EXPIRES)
        for path, content in files.items():
            (polish if path.startswith("pl/") else top).targets[path] = target(path, content)
        key = self.keys["polish"][0].public_key
        role = DelegatedRole("polish", [key.keyid], 1, True, paths=["pl/*.yaml"])
        top.delegations = Delegations({key.keyid: key}, {"polish": role})
        meta = {
            "polish.json": facts(version, self.write(Metadata(polish), f"{version}.polish.json", self.keys["polish"])),
            "targets.json": facts(version, self.write(Metadata(top), f"{version}.targets.json", self.keys["targets"])),
        }
        snapshot = self.write(
            Metadata(Snapshot(version=version, expires=EXPIRES, meta=meta)),
            f"{version}.snapshot.json",
            self.keys["snapshot"],
        )
        timestamp = Timestamp(version=version, expires=EXPIRES, snapshot_meta=facts(version, snapshot))
        self.write(Metadata(timestamp), "timestamp.json", self.keys["timestamp"])


def make(folder):
    author = Author(folder)
    author.new_keys()
    root = author.root(1)
    author.lists(1, FILES)
    author.save((1, 1))
    print(json.dumps({"root": hashlib.sha256(root).hexdigest()}))


def make_next(folder):
    author = Author(folder)
    roots, lists = author.load()
    author.keys["timestamp"] = [CryptoSigner.generate_ed25519()]
    author.root(roots + 1, author.keys["root"])
    author.lists(lists + 1, {**FILES, "north.yaml": SCRIPT.replace(b"east", b"north")})
    author.save((roots + 1, lists + 1))
    print(json.dumps({}))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def read(folder, root, paths):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as local:
        updater = Updater(
            f"{local}/metadata",
            f"{address}/metadata/",
            f"{local}/targets",
            f"{address}/targets/",
            config=UpdaterConfig(),
            bootstrap=pathlib.Path(root).read_bytes(),
        )
        pathlib.Path(local, "targets").mkdir()
        updater.refresh()
        found = {}
        for path in paths:
            info = updater.get_targetinfo(path)
            if info is None:
                found[path] = None
                continue
            found[path] = hashlib.sha256(pathlib.Path(updater.download_target(info)).read_bytes()).hexdigest()
    server.shutdown()
    print(json.dumps(found))


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    if command == "make":
        make(folder)
    elif command == "next":
        make_next(folder)
    else:
        read(folder, rest[0], rest[1:])
