"""Gives the assistant's routes a session. Replaces values that JSON Schema cannot exclude: names that look like those of time
zones. Skips those that I-JSON forbids."""

import json
import os
import re
import zoneinfo

import schemathesis

ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*")
ZONES = zoneinfo.available_timezones()


@schemathesis.auth()
class AccessToken:
    def get(self, case, context):
        return os.environ["ACCESS_TOKEN"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


def is_ijson(value):
    """RFC 7493: no noncharacters (section 2.1), no integers beyond those that a double holds (section 2.2)."""
    if isinstance(value, str):
        return not any(ord(one) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(one) <= 0xFDEF for one in value)
    if isinstance(value, (int, float)):
        return not 2**53 <= abs(value) < (10**21 if isinstance(value, float) else float("inf"))
    if isinstance(value, dict):
        return all(map(is_ijson, [*value.keys(), *value.values()]))
    return not isinstance(value, list) or all(map(is_ijson, value))


@schemathesis.hook
def filter_body(context, body):
    return is_ijson(body)


CURSOR = re.compile(r"[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{43}")


def fits_schema(subscription):
    """A subscription may fit the schema and still have no key on the curve, and no address that is allowed."""
    if not isinstance(subscription, dict) or not isinstance(subscription.get("keys"), dict):
        return False
    endpoint, keys = subscription.get("endpoint"), subscription["keys"]
    return (
        isinstance(endpoint, str)
        and re.match("https?://", endpoint)
        and len(endpoint) <= 2048
        and all(isinstance(keys.get(name), str) for name in ("p256dh", "auth"))
    )


@schemathesis.hook
def before_call(context, case, kwargs):
    """A name may look like that of a time zone, a text like a cursor or a redirect value: JSON Schema cannot tell."""
    zone = case.body.get("time_zone") if isinstance(case.body, dict) else None
    if isinstance(zone, str) and len(zone) <= 64 and ZONE.fullmatch(zone) and zone not in ZONES:
        case.body["time_zone"] = "Europe/Vienna"
    redirect = case.body.get("redirect_uri") if isinstance(case.body, dict) else None
    if isinstance(redirect, str) and 0 < len(redirect) <= 512 and not re.search(r"[\x00-\x1f\x7f-\x9f]", redirect):
        case.body["redirect_uri"] = os.environ["REDIRECT_URI"]
    subscription = case.body.get("subscription") if isinstance(case.body, dict) else None
    if fits_schema(subscription):
        subscription.update(json.loads(os.environ["SUBSCRIPTION"]))
    if CURSOR.fullmatch(str((case.query or {}).get("cursor", ""))):
        del case.query["cursor"]
