"""Reads a release's provenance with in-toto-attestation, as a program that is not Countersign would.

Usage: provenance.py FOLDER
"""

import hashlib
import json
import pathlib
import sys

from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

folder = pathlib.Path(sys.argv[1])
text = (folder / "provenance.intoto.json").read_text()

parsed = json_format.Parse(text, statement_pb2.Statement())
Statement.copy_from_pb(parsed).validate()
assert parsed.predicate_type == "https://slsa.dev/provenance/v1", parsed.predicate_type

subjects = {subject.name: subject.digest["sha256"] for subject in parsed.subject}
files = {file.name: file for file in folder.iterdir() if file.name != "provenance.intoto.json"}
assert subjects.keys() == files.keys(), (subjects.keys(), files.keys())
for name, file in files.items():
    assert hashlib.sha256(file.read_bytes()).hexdigest() == subjects[name], name

# Strict: a member that the predicate's format does not have is an error.
predicate = json_format.Parse(json.dumps(json.loads(text)["predicate"]), provenance_pb2.Provenance())
definition = predicate.build_definition
assert definition.build_type and predicate.run_details.builder.id
assert len(definition.resolved_dependencies[0].digest["gitCommit"]) == 40
print(f"{len(subjects)} files, {len(definition.resolved_dependencies)} sources, by {predicate.run_details.builder.id}")
