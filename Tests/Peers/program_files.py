"""Reads the files that `countersign agent add` writes, each with a parser of its form, and prints the command.

Usage: program_files.py FORM PATH FILE [FORM PATH FILE ...], where PATH leads to the entry with slashes.
"""

import json
import sys
import tomllib

import yaml


def load(form, text):
    if form == "json":
        return json.loads(text)
    return tomllib.loads(text) if form == "toml" else yaml.safe_load(text)


arguments = sys.argv[1:]
for form, path, file in zip(arguments[::3], arguments[1::3], arguments[2::3]):
    with open(file, encoding="utf-8") as opened:
        value = load(form, opened.read())
    for name in path.split("/"):
        value = value[name]
    print(json.dumps([value.get("command") or value["cmd"], *value["args"]]))
