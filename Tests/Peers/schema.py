"""Validates YAML files against a JSON Schema.

Usage: schema.py SCHEMA FILE...
Prints a JSON object with null or an error for each file.
"""

import json
import sys

import jsonschema
import yaml



class CoreLoader(yaml.SafeLoader):
    """Reads dates as texts, as the core schema of YAML 1.2 does (section 10.3)."""


CoreLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

outcome = {}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        script = yaml.load(file, CoreLoader)
    error = jsonschema.exceptions.best_match(validator.iter_errors(script))
    outcome[path] = error and f"{error.json_path}: {error.message[:200]}"
print(json.dumps(outcome))
