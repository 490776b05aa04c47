"""Gives each side's routes their own token, and leaves out what no JSON Schema can: noncharacters, which I-JSON forbids."""

import os

import schemathesis


@schemathesis.auth().apply_to(path_regex=r"^/requests?(/|$)")
class AgentToken:
    def get(self, case, context):
        return os.environ["AGENT_TOKEN"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth().apply_to(path_regex=r"^/phone/")
class PhoneToken:
    def get(self, case, context):
        return os.environ["PHONE_TOKEN"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


def is_noncharacter(character):
    code = ord(character)
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def holds_noncharacter(value):
    if isinstance(value, str):
        return any(map(is_noncharacter, value))
    if isinstance(value, dict):
        return any(map(holds_noncharacter, [*value.keys(), *value.values()]))
    return isinstance(value, list) and any(map(holds_noncharacter, value))


@schemathesis.hook
def filter_body(context, body):
    return not holds_noncharacter(body)
